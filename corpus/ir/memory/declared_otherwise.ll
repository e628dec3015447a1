; Two files declare one function differently: the call passes a double, the function takes an integer.
; expect-anywhere: memory.invalid-pointer
target triple = "x86_64-unknown-linux-gnu"

define i32 @function(i32 %number) {
  ret i32 %number
}

define i32 @main() {
  %result = call i32 @function(double 2.5)
  ret i32 %result
}
