; What a thread has read is in a register only, and used only behind the second return of setjmp: two
; states that differ in nothing else. This is the one of the two in which it has read 0.
; expect-anywhere: assertion.abort
target triple = "x86_64-unknown-linux-gnu"

@level = global i32 0

define ptr @writer(ptr %unused) {
entry:
  store atomic i32 1, ptr @level seq_cst, align 4
  ret ptr null
}

define ptr @reader(ptr %other) {
entry:
  %back = alloca [200 x i8], align 16
  %seen = load atomic i32, ptr @level seq_cst, align 4
  %came = call i32 @_setjmp(ptr %back) #0
  %first = icmp eq i32 %came, 0
  br i1 %first, label %go, label %again
go:
  %thread = load i64, ptr %other
  %joined = call i32 @pthread_join(i64 %thread, ptr null)
  store atomic i32 7, ptr @level seq_cst, align 4
  call void @longjmp(ptr %back, i32 1)
  unreachable
again:
  %hit = icmp eq i32 %seen, 0
  br i1 %hit, label %stop, label %done
stop:
  call void @abort()
  unreachable
done:
  ret ptr null
}

define i32 @main() {
entry:
  %one = alloca i64
  %two = alloca i64
  %a = call i32 @pthread_create(ptr %one, ptr null, ptr @writer, ptr null)
  %b = call i32 @pthread_create(ptr %two, ptr null, ptr @reader, ptr %one)
  %thread = load i64, ptr %two
  %joined = call i32 @pthread_join(i64 %thread, ptr null)
  ret i32 0
}

declare i32 @_setjmp(ptr) #0
declare void @longjmp(ptr, i32)
declare void @abort()
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)

attributes #0 = { returns_twice }
