; An optimiser has moved the load of `data` before the test whether the other thread has written it:
; where the test fails, nobody uses the value. Once the arm is that for true, once that for false.
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
  %value = select i1 %yes, i32 %next, i32 0
  store i32 %value, ptr @sink
  %again = load i32, ptr @data
  %no = icmp eq i32 %r, 0
  %other = select i1 %no, i32 0, i32 %again
  store i32 %other, ptr @sink
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
