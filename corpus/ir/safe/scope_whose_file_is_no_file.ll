; Debug information may be nonsense: the block's file is another node.
target triple = "x86_64-unknown-linux-gnu"

define i32 @main() !dbg !4 {
  ret i32 0, !dbg !5
}

!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2)
!2 = !DIFile(filename: "there.c", directory: "/")
!3 = !{!"neither a file nor a scope"}
!4 = distinct !DISubprogram(name: "main", scope: !2, file: !3, line: 7, unit: !1, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 8, column: 1, scope: !6)
!6 = distinct !DILexicalBlock(scope: !4, file: !3, line: 8)
