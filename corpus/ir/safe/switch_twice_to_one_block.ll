; Two cases of a switch lead to one block: each φ-node has two equal entries for it.
target triple = "x86_64-unknown-linux-gnu"

@number = global i32 2

define i32 @main() {
entry:
  %n = load i32, ptr @number
  switch i32 %n, label %other [ i32 1, label %both
                                i32 2, label %both ]
other:
  br label %both
both:
  %a = phi i32 [ 3, %entry ], [ 3, %entry ], [ 5, %other ]
  %b = phi i32 [ 4, %entry ], [ 4, %entry ], [ 6, %other ]
  %sum = add i32 %a, %b
  %bad = icmp ne i32 %sum, 7
  br i1 %bad, label %stop, label %go
stop:
  call void @abort()
  unreachable
go:
  ret i32 0
}

declare void @abort()
