//! The report names each place at which the program depends on where objects are.

use crate::run;

/// What the program computes, and whether that depends on the placement of its objects.
const COMPUTED: [(&str, bool); 17] = [
    ("p & 7", false),
    ("p & ~15ul", false),
    ("p & 0xfff", true),
    ("p | 1", false),
    ("p | 0x100", true),
    ("p + 4", false),
    ("p + 4096", true),
    ("p - q", true),
    ("(uintptr_t)(a + 2) - p", false),
    ("4 - p", true),
    ("p ^ q", true),
    ("p >> 4", true),
    ("p < q", true),
    ("p == q", false),
    ("(unsigned)p", true),
    ("(uintptr_t)((unsigned __int128)p * 3 >> 2)", true),
    // By chance it looks like an address.
    ("hash >> 3", false),
];

#[test]
fn what_depends_on_where_objects_are_is_named() {
    let mut text = String::from(
        "#include <pthread.h>\n#include <stdint.h>\n\
         static int a[4], b[4];\nstatic volatile uintptr_t result, hash = 0x412345678910;\n\
         static void *nothing(void *p) { return p; }\n\
         int main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, nothing, 0);\n\
         \x20   volatile uintptr_t p0 = (uintptr_t)a, q0 = (uintptr_t)b;\n",
    );
    let first = text.lines().count() + 1;
    for (computed, _) in COMPUTED {
        text += &format!("    {{ uintptr_t p = p0, q = q0; (void)q; result = {computed}; }}\n");
    }
    text += "    pthread_join(t, 0);\n    return 0;\n}\n";
    for strategy in ["dpor", "unfold"] {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("program.c"), &text).unwrap();
        let arguments = ["check", "--strategy", strategy, "program.c"];
        let (code, out, err) = run(directory.path(), &arguments);
        assert_eq!(code, 0, "{out}{err}");
        let listed = out
            .lines()
            .find(|line| line.contains("addresses of different objects have one order"))
            .unwrap_or_else(|| panic!("{out}"));
        let more = COMPUTED.iter().filter(|(_, depends)| *depends).count() - 3;
        assert!(listed.ends_with(&format!(" and {more} more")), "{listed}");
        let named = COMPUTED.iter().enumerate().filter(|(_, (_, depends))| *depends);
        for (index, (computed, _)) in named.take(3) {
            let place = format!("program.c:{}:", first + index);
            assert!(listed.contains(&place), "{computed}: {listed}");
        }
    }
}
