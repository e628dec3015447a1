; Addresses within a local are computed first, as optimisers do, and used in two lives of it.
target triple = "x86_64-unknown-linux-gnu"

define i32 @main() {
entry:
  %pair = alloca [2 x i32], align 4
  %second = getelementptr inbounds [2 x i32], ptr %pair, i64 0, i64 1
  br label %round
round:
  %i = phi i32 [ 0, %entry ], [ %next, %round ]
  %sum = phi i32 [ 0, %entry ], [ %more, %round ]
  call void @llvm.lifetime.start.p0(ptr %pair)
  store i32 %i, ptr %pair
  store i32 1, ptr %second
  %a = load i32, ptr %pair
  %b = load i32, ptr %second
  %ab = add i32 %a, %b
  %more = add i32 %sum, %ab
  call void @llvm.lifetime.end.p0(ptr %pair)
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 2
  br i1 %again, label %round, label %done
done:
  %right = icmp eq i32 %more, 3
  br i1 %right, label %fine, label %wrong
wrong:
  call void @abort()
  unreachable
fine:
  ret i32 0
}

declare void @abort()
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
