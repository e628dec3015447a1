; The value of `data` is used whatever the test says: it is loaded where it stands.
; expect-anywhere: data-race
target triple = "x86_64-unknown-linux-gnu"

@data = global i32 0
@ready = global i32 0
@sink = global i32 0

define ptr @reader(ptr %unused) {
entry:
  %r = load atomic i32, ptr @ready acquire, align 4
  %early = load i32, ptr @data
  %next = add i32 %early, 1
  %yes = icmp ne i32 %r, 0
  %value = select i1 %yes, i32 %next, i32 %early
  store i32 %value, ptr @sink
  ret ptr null
}

define i32 @main() {
entry:
  %t = alloca i64
  %e = call i32 @pthread_create(ptr %t, ptr null, ptr @reader, ptr null)
  store i32 7, ptr @data
  store atomic i32 1, ptr @ready release, align 4
  %h = load i64, ptr %t
  %j = call i32 @pthread_join(i64 %h, ptr null)
  ret i32 0
}

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
