; A local that was never written is frozen: that is any value, also the one that leads to abort.
; expect-anywhere: assertion.abort
target triple = "x86_64-unknown-linux-gnu"

define i32 @main() {
entry:
  %slot = alloca i16
  %junk = load i16, ptr %slot
  %some = freeze i16 %junk
  %twice = add i16 %some, %some
  %hit = icmp eq i16 %twice, 154
  br i1 %hit, label %stop, label %go
stop:
  call void @abort()
  unreachable
go:
  ret i32 0
}

declare void @abort()
