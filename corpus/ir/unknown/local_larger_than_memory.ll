; The size of the local does not fit 64 bits. What is left of it is no size.
; unknown: no room for a local object
target triple = "x86_64-unknown-linux-gnu"

define i32 @main() {
  %many = alloca i32, i64 4611686018427387905
  store i32 1, ptr %many
  ret i32 0
}
