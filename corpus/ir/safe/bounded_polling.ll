; The writer hands data over; main reads the flag a hundred times at most. One read is enough.
; Made from C by clang -O1.
; count(dpor)=2
target triple = "x86_64-pc-linux-gnu"

@ready = internal global i32 0, align 4
@data = internal global i1 false, align 4
@.str = private constant [10 x i8] c"data == 1\00", align 1
@.str.1 = private constant [12 x i8] c"/src/poll.c\00", align 1
@__PRETTY_FUNCTION__.main = private constant [15 x i8] c"int main(void)\00", align 1

define noundef i32 @main() {
entry:
  %thread = alloca i64, align 8
  %call = call i32 @pthread_create(ptr noundef nonnull %thread, ptr noundef null, ptr noundef nonnull @writer, ptr noundef null)
  br label %for.body

for.cond.cleanup:
  %.b = load i1, ptr @data, align 4
  %or.cond = select i1 %tobool1.not, i1 true, i1 %.b
  br i1 %or.cond, label %if.end4, label %if.else

for.body:
  %rounds.08 = phi i32 [ 100, %entry ], [ %dec, %for.body ]
  %0 = load atomic i32, ptr @ready acquire, align 4
  %dec = add nsw i32 %rounds.08, -1
  %tobool = icmp ne i32 %dec, 0
  %tobool1.not = icmp eq i32 %0, 0
  %1 = select i1 %tobool, i1 %tobool1.not, i1 false
  br i1 %1, label %for.body, label %for.cond.cleanup

if.else:
  call void @__assert_fail(ptr noundef nonnull @.str, ptr noundef nonnull @.str.1, i32 noundef 21, ptr noundef nonnull @__PRETTY_FUNCTION__.main)
  unreachable

if.end4:
  %2 = load i64, ptr %thread, align 8
  %call5 = call i32 @pthread_join(i64 noundef %2, ptr noundef null)
  ret i32 0
}


declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef)

define internal noundef ptr @writer(ptr noundef readnone returned captures(ret: address, provenance) %unused) {
entry:
  store i1 true, ptr @data, align 4
  store atomic i32 1, ptr @ready release, align 4
  ret ptr %unused
}


declare void @__assert_fail(ptr noundef, ptr noundef, i32 noundef, ptr noundef)

declare i32 @pthread_join(i64 noundef, ptr noundef)
