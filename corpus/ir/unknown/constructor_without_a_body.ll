; A constructor whose code is in no module. Nothing is known of what it does.
; unknown: function nowhere as a constructor
target triple = "x86_64-unknown-linux-gnu"
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @nowhere, ptr null }]

declare void @nowhere()

define i32 @main() {
  ret i32 0
}
