; Locals with scopes of their own, small and of several pages, whose addresses others hold; several lives of them in one step.
; What clang -O1 makes of this, before it optimises:
;
; #include <pthread.h>
; static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
; static int *shown[2];
; static int seen;
; static void keep(int who, int *what) { shown[who] = what; }
; static void *work(void *arg) {
;     int who = (int)(long)arg;
;     for (int i = 0; i < 2; i++) {
;         {
;             int small[3];
;             keep(who, small);
;             small[1] = i;
;             pthread_mutex_lock(&lock);
;             seen += small[1];
;             pthread_mutex_unlock(&lock);
;         }
;         {
;             int large[1500];
;             keep(who, large);
;             large[i] = 1;
;             large[1400] = i;
;             pthread_mutex_lock(&lock);
;             seen += large[1400];
;             pthread_mutex_unlock(&lock);
;             large[1200] = 4;
;         }
;         for (int j = 0; j < 2; j++) {
;             int in_one_step[1300];
;             pthread_mutex_t own;
;             pthread_mutex_init(&own, 0);
;             keep(who, in_one_step);
;             in_one_step[j] = j;
;             in_one_step[1299] = i;
;         }
;     }
;     return 0;
; }
; int main(void) {
;     pthread_t one, two;
;     pthread_create(&one, 0, work, (void *)0);
;     pthread_create(&two, 0, work, (void *)1);
;     pthread_join(one, 0);
;     pthread_join(two, 0);
;     return seen;
; }
target triple = "x86_64-pc-linux-gnu"

%union.pthread_mutex_t = type { %struct.__pthread_mutex_s }
%struct.__pthread_mutex_s = type { i32, i32, i32, i32, i32, i16, i16, %struct.__pthread_internal_list }
%struct.__pthread_internal_list = type { ptr, ptr }

@seen = internal global i32 0, align 4
@lock = internal global %union.pthread_mutex_t zeroinitializer, align 8
@shown = internal global [2 x ptr] zeroinitializer, align 16

define dso_local i32 @main() {
  %1 = alloca i32, align 4
  %2 = alloca i64, align 8
  %3 = alloca i64, align 8
  store i32 0, ptr %1, align 4
  call void @llvm.lifetime.start.p0(ptr %2)
  call void @llvm.lifetime.start.p0(ptr %3)
  %4 = call i32 @pthread_create(ptr noundef %2, ptr noundef null, ptr noundef @work, ptr noundef null)
  %5 = call i32 @pthread_create(ptr noundef %3, ptr noundef null, ptr noundef @work, ptr noundef inttoptr (i64 1 to ptr))
  %6 = load i64, ptr %2, align 8
  %7 = call i32 @pthread_join(i64 noundef %6, ptr noundef null)
  %8 = load i64, ptr %3, align 8
  %9 = call i32 @pthread_join(i64 noundef %8, ptr noundef null)
  %10 = load i32, ptr @seen, align 4
  call void @llvm.lifetime.end.p0(ptr %3)
  call void @llvm.lifetime.end.p0(ptr %2)
  ret i32 %10
}

declare void @llvm.lifetime.start.p0(ptr captures(none))

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef)

define internal ptr @work(ptr noundef %0) {
  %2 = alloca ptr, align 8
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = alloca [3 x i32], align 4
  %7 = alloca [1500 x i32], align 16
  %8 = alloca i32, align 4
  %9 = alloca [1300 x i32], align 16
  %10 = alloca %union.pthread_mutex_t, align 8
  store ptr %0, ptr %2, align 8
  call void @llvm.lifetime.start.p0(ptr %3)
  %11 = load ptr, ptr %2, align 8
  %12 = ptrtoint ptr %11 to i64
  %13 = trunc i64 %12 to i32
  store i32 %13, ptr %3, align 4
  call void @llvm.lifetime.start.p0(ptr %4)
  store i32 0, ptr %4, align 4
  br label %14

14:
  %15 = load i32, ptr %4, align 4
  %16 = icmp slt i32 %15, 2
  br i1 %16, label %18, label %17

17:
  store i32 2, ptr %5, align 4
  call void @llvm.lifetime.end.p0(ptr %4)
  br label %64

18:
  call void @llvm.lifetime.start.p0(ptr %6)
  %19 = load i32, ptr %3, align 4
  %20 = getelementptr inbounds [3 x i32], ptr %6, i64 0, i64 0
  call void @keep(i32 noundef %19, ptr noundef %20)
  %21 = load i32, ptr %4, align 4
  %22 = getelementptr inbounds [3 x i32], ptr %6, i64 0, i64 1
  store i32 %21, ptr %22, align 4
  %23 = call i32 @pthread_mutex_lock(ptr noundef @lock)
  %24 = getelementptr inbounds [3 x i32], ptr %6, i64 0, i64 1
  %25 = load i32, ptr %24, align 4
  %26 = load i32, ptr @seen, align 4
  %27 = add nsw i32 %26, %25
  store i32 %27, ptr @seen, align 4
  %28 = call i32 @pthread_mutex_unlock(ptr noundef @lock)
  call void @llvm.lifetime.end.p0(ptr %6)
  call void @llvm.lifetime.start.p0(ptr %7)
  %29 = load i32, ptr %3, align 4
  %30 = getelementptr inbounds [1500 x i32], ptr %7, i64 0, i64 0
  call void @keep(i32 noundef %29, ptr noundef %30)
  %31 = load i32, ptr %4, align 4
  %32 = sext i32 %31 to i64
  %33 = getelementptr inbounds [1500 x i32], ptr %7, i64 0, i64 %32
  store i32 1, ptr %33, align 4
  %34 = load i32, ptr %4, align 4
  %35 = getelementptr inbounds [1500 x i32], ptr %7, i64 0, i64 1400
  store i32 %34, ptr %35, align 16
  %36 = call i32 @pthread_mutex_lock(ptr noundef @lock)
  %37 = getelementptr inbounds [1500 x i32], ptr %7, i64 0, i64 1400
  %38 = load i32, ptr %37, align 16
  %39 = load i32, ptr @seen, align 4
  %40 = add nsw i32 %39, %38
  store i32 %40, ptr @seen, align 4
  %41 = call i32 @pthread_mutex_unlock(ptr noundef @lock)
  %42 = getelementptr inbounds [1500 x i32], ptr %7, i64 0, i64 1200
  store i32 4, ptr %42, align 16
  call void @llvm.lifetime.end.p0(ptr %7)
  call void @llvm.lifetime.start.p0(ptr %8)
  store i32 0, ptr %8, align 4
  br label %43

43:
  %44 = load i32, ptr %8, align 4
  %45 = icmp slt i32 %44, 2
  br i1 %45, label %47, label %46

46:
  store i32 5, ptr %5, align 4
  call void @llvm.lifetime.end.p0(ptr %8)
  br label %60

47:
  call void @llvm.lifetime.start.p0(ptr %9)
  call void @llvm.lifetime.start.p0(ptr %10)
  %48 = call i32 @pthread_mutex_init(ptr noundef %10, ptr noundef null)
  %49 = load i32, ptr %3, align 4
  %50 = getelementptr inbounds [1300 x i32], ptr %9, i64 0, i64 0
  call void @keep(i32 noundef %49, ptr noundef %50)
  %51 = load i32, ptr %8, align 4
  %52 = load i32, ptr %8, align 4
  %53 = sext i32 %52 to i64
  %54 = getelementptr inbounds [1300 x i32], ptr %9, i64 0, i64 %53
  store i32 %51, ptr %54, align 4
  %55 = load i32, ptr %4, align 4
  %56 = getelementptr inbounds [1300 x i32], ptr %9, i64 0, i64 1299
  store i32 %55, ptr %56, align 4
  call void @llvm.lifetime.end.p0(ptr %10)
  call void @llvm.lifetime.end.p0(ptr %9)
  br label %57

57:
  %58 = load i32, ptr %8, align 4
  %59 = add nsw i32 %58, 1
  store i32 %59, ptr %8, align 4
  br label %43

60:
  br label %61

61:
  %62 = load i32, ptr %4, align 4
  %63 = add nsw i32 %62, 1
  store i32 %63, ptr %4, align 4
  br label %14

64:
  store i32 1, ptr %5, align 4
  call void @llvm.lifetime.end.p0(ptr %3)
  ret ptr null
}

declare i32 @pthread_join(i64 noundef, ptr noundef)

declare void @llvm.lifetime.end.p0(ptr captures(none))

define internal void @keep(i32 noundef %0, ptr noundef %1) {
  %3 = alloca i32, align 4
  %4 = alloca ptr, align 8
  store i32 %0, ptr %3, align 4
  store ptr %1, ptr %4, align 8
  %5 = load ptr, ptr %4, align 8
  %6 = load i32, ptr %3, align 4
  %7 = sext i32 %6 to i64
  %8 = getelementptr inbounds [2 x ptr], ptr @shown, i64 0, i64 %7
  store ptr %5, ptr %8, align 8
  ret void
}

declare i32 @pthread_mutex_lock(ptr noundef)

declare i32 @pthread_mutex_unlock(ptr noundef)

declare i32 @pthread_mutex_init(ptr noundef, ptr noundef)



