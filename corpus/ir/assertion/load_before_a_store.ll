; A store lies between a load and the `select` that may drop its value: it is the value from before.
; expect-anywhere: assertion.abort
target triple = "x86_64-unknown-linux-gnu"

@data = global i32 7
@zero = global i32 0

define i32 @main() {
entry:
  %z = load i32, ptr @zero
  %early = load i32, ptr @data
  store i32 8, ptr @data
  %yes = icmp eq i32 %z, 0
  %value = select i1 %yes, i32 %early, i32 0
  %old = icmp eq i32 %value, 7
  br i1 %old, label %stop, label %go
stop:
  call void @abort()
  unreachable
go:
  ret i32 0
}

declare void @abort()
