; A local is read after its second life has ended.
; expect-anywhere: memory.use-after-scope
target triple = "x86_64-unknown-linux-gnu"

define i32 @main() {
  %x = alloca i32
  call void @llvm.lifetime.start.p0(ptr %x)
  store i32 0, ptr %x
  call void @llvm.lifetime.end.p0(ptr %x)
  call void @llvm.lifetime.start.p0(ptr %x)
  store i32 0, ptr %x
  call void @llvm.lifetime.end.p0(ptr %x)
  %v = load i32, ptr %x
  ret i32 %v
}

declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
