; A load from a local promises a value below 2, and the local has 5.
; expect-anywhere: memory.uninitialized
target triple = "x86_64-unknown-linux-gnu"

define i32 @main() {
  %local = alloca i8
  %five = add i8 0, 5
  store i8 %five, ptr %local
  %loaded = load i8, ptr %local, !range !0
  %is_zero = icmp eq i8 %loaded, 0
  br i1 %is_zero, label %yes, label %no

yes:
  ret i32 1

no:
  ret i32 0
}

!0 = !{i8 0, i8 2}
