; A function that nobody calls has locals and addresses whose size depends on the processor.
target triple = "x86_64-unknown-linux-gnu"

define i32 @main() {
  ret i32 0
}

define void @elsewhere(i64 %i, ptr %from) {
  %v = alloca <vscale x 2 x i64>
  %pair = alloca { <vscale x 4 x i32>, <vscale x 4 x i32> }
  %p = getelementptr <vscale x 2 x i64>, ptr %v, i64 %i
  %x = load <vscale x 2 x i64>, ptr %from
  store <vscale x 2 x i64> %x, ptr %p
  ret void
}
