//! Addresses that are stored in locals, and what must not become of them.

use crate::Escape;

/// Whether each of the first locals of a function is private, as digits. The addresses of
/// `main`'s locals are in r0 to r2; `callee` has two of its own in r3 and r4, behind its three
/// parameters.
fn private_in(function: &str, main: &[&str], callee: &[&str]) -> String {
    const REGS: &str = "regs r0: ptr, r1: ptr, r2: ptr, r3: ptr, r4: ptr, r5: ptr, r6: ptr, r7: ptr, \
                        r8: i64, r9: i64, r10: i32, r11: i1, r12: i8, r13: f64, r14: i128";
    let define = |head: &str, locals: u32, first: u32, body: &[&str]| {
        let all = |f: &dyn Fn(u32) -> String| (0..locals).map(f).collect::<String>();
        let objects = all(&|n| format!("  local l{n} \"\" size 64 align 8\n"));
        let addresses = all(&|n| format!("  s0 r{} = local l{n}\n", first + n));
        let body: String = body.iter().map(|line| format!("  s0 {line}\n")).collect();
        let end = match body.contains("return") {
            true => "",
            false => "  s0 return 0:ptr\n",
        };
        format!("func {head} -> (ptr) {{\n  {REGS}\n{objects}b0:\n{addresses}{body}{end}}}\n")
    };
    let declare = |name: &str| {
        format!(
            "func \"{name}\" (r0, r1, r2, r3) -> (ptr) {{\n  \
             regs r0: ptr, r1: ptr, r2: ptr, r3: ptr, r4: ptr\n}}\n"
        )
    };
    let text = [
        "global g0 \"shared\" size 8 align 8\n".to_owned(),
        define("f0 \"main\" ()", 3, 0, main),
        define("f1 \"callee\" (r0, r1, r2)", 2, 3, callee),
        declare("unknown"),
        declare("pthread_create"),
        declare("memcmp"),
    ]
    .concat();
    let module = selvedge_ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let escape = Escape::of(&module);
    let function = module.functions.iter().find(|f| f.name == function);
    let private = escape.private_locals(function.expect("the function"));
    private
        .iter()
        .map(|&private| if private { '1' } else { '0' })
        .collect()
}

fn private(main: &[&str], callee: &[&str]) -> String {
    private_in("main", main, callee)
}

/// r1 holds r0; what comes then. All three are private, or these are.
fn after_a_store(then: &[&str]) -> String {
    private(&[&["store ptr r0, r1, align 8"], then].concat(), &[])
}

const CALL: &str = "call f1(r1 as ptr, r0 as ptr, r2 as ptr)";
const UNKNOWN: &str = "call f2(r1 as ptr)";

#[test]
fn an_address_in_a_private_local_stays() {
    for then in [
        &[][..],
        &["r5 = load ptr r1, align 8", "r10 = load i32 r5, align 4"],
        &["r5 = load ptr r1, align 8", "r11 = cmp eq ptr r5, 0:ptr"],
        &["r8 = load i64 r1, align 8", "store i64 r8, r2, align 8"],
        &["memcpy r2, r1, 16:i64", "r5 = load ptr r2, align 8"],
        &["memcpy r2, r1, r9", "r5 = load ptr r2, align 8"],
        &["store ptr r1, r0, align 8"],
        &["store ptr r1, r1, align 8"],
        // Another part is nobody's secret.
        &[
            "r5 = gep r1, 8 []",
            "r10 = load i32 r5, align 4",
            "r10 = add r10, 1:i32",
        ],
        &[
            "r5 = gep r1, 8 []",
            "r6 = load ptr r5, align 8",
            "store ptr r6, g0, align 8",
        ],
        &["r5 = gep r1, 8 []", "r9 = rmw add seq_cst i64 r5, 1:i64"],
        &["r5 = gep r1, -16 []", "r14 = load i128 r5, align 8"],
    ] {
        assert_eq!(after_a_store(then), "111", "{then:?}");
    }
}

#[test]
fn an_address_that_is_loaded_may_be_let_out() {
    for (then, expected) in [
        (
            &["r5 = load ptr r1, align 8", "store ptr r5, g0, align 8"][..],
            "011",
        ),
        (&["r5 = load ptr r1, align 8", "call f2(r5 as ptr)"], "011"),
        (&["r5 = load ptr r1, align 8", "return r5"], "011"),
        (&["r5 = load ptr r1, align 8", "r11 = cmp eq ptr r5, r2"], "010"),
        (&["r5 = load ptr r1, align 8", "r11 = cmp eq ptr r5, r0"], "011"),
        (&["r9 = rmw xchg seq_cst i64 r1, 0:i64"], "011"),
        (&["r9, r11 = cmpxchg seq_cst acquire i64 r1, 1:i64, 2:i64"], "011"),
        (&["call f4(r1 as ptr, r2 as ptr)"], "011"),
        // As other types, and parts of it.
        (&["r8 = load i64 r1, align 8", "r8 = add r8, 1:i64"], "011"),
        (&["r13 = load f64 r1, align 8"], "011"),
        (&["r14 = load i128 r1, align 8"], "011"),
        (&["r5 = gep r1, 4 []", "r10 = load i32 r5, align 4"], "011"),
        (&["r5 = gep r1, 7 []", "r12 = load i8 r5, align 1"], "011"),
        (&["r5 = gep r1, -7 []", "r14 = load i128 r5, align 8"], "011"),
        (
            &["r5 = gep r1, 8 [r9:64 * 8]", "r10 = load i32 r5, align 4"],
            "011",
        ),
        // Where a copy of it is.
        (
            &[
                "memcpy r2, r1, 16:i64",
                "r5 = load ptr r2, align 8",
                "call f2(r5 as ptr)",
            ],
            "011",
        ),
        (
            &[
                "memcpy r2, r1, r9",
                "r5 = gep r2, 8 []",
                "r10 = load i32 r5, align 4",
            ],
            "011",
        ),
        (&["memcpy g0, r1, 8:i64"], "011"),
        (&["memcpy r2, r1, 16:i64", "call f2(r2 as ptr)"], "010"),
        (
            &[
                "r5 = gep r1, 8 []",
                "memcpy r5, r1, 8:i64",
                "r10 = load i32 r5, align 4",
            ],
            "011",
        ),
    ] {
        assert_eq!(after_a_store(then), expected, "{then:?}");
    }
}

#[test]
fn what_holds_an_address_takes_it_along() {
    assert_eq!(after_a_store(&[UNKNOWN]), "001", "it escapes later");
    assert_eq!(
        private(&[UNKNOWN, "store ptr r0, r1, align 8"], &[]),
        "001",
        "it has"
    );
    assert_eq!(
        after_a_store(&["store ptr r1, r2, align 8", "call f2(r2 as ptr)"]),
        "000"
    );
    assert_eq!(after_a_store(&["store ptr r1, g0, align 8"]), "001");
    assert_eq!(after_a_store(&["return r1"]), "001");
    let thread = "call f3(r2 as ptr, 0:ptr, 0:ptr, r1 as ptr)";
    assert_eq!(after_a_store(&[thread]), "001", "a thread gets it");
}

#[test]
fn it_must_be_certain_where_an_address_is_stored() {
    for to in [
        &["r5 = load ptr g0, align 8"][..],
        &["r5 = copy r1", "r5 = copy g0"],
        &["r5 = select r11, r1, g0"],
        &["r5 = call f1(r1 as ptr, r1 as ptr, r1 as ptr)"],
        &["store ptr r1, r2, align 8", "r5 = load ptr r2, align 8"],
    ] {
        let stores = |what| [to, &[what]].concat();
        let returns = ["return r0"];
        for what in [
            "store ptr r0, r5, align 8",
            "call f1(r5 as ptr, r0 as ptr, r2 as ptr)",
        ] {
            let callee: &[&str] = match what.starts_with("call") {
                true => &["store ptr r1, r0, align 8", "return r0"],
                false => &returns,
            };
            assert!(private(&stores(what), callee).starts_with('0'), "{to:?} {what}");
        }
    }
    assert_eq!(
        private(&["r5 = select r11, r1, r2", "store ptr r0, r5, align 8"], &[]),
        "111"
    );
}

/// The object must live as long as what holds its address.
#[test]
fn a_callee_leaves_no_address_of_its_own_local() {
    for leaves in [
        &["store ptr r3, r0, align 8"][..],
        &["r5 = gep r0, 8 [r9:64 * 8]", "store ptr r3, r5, align 8"],
        &["store ptr r3, r4, align 8", "memcpy r0, r4, 8:i64"],
        &["store ptr r3, r4, align 8", "memcpy r0, r4, r9"],
        &[
            "store ptr r3, r4, align 8",
            "r5 = load ptr r4, align 8",
            "store ptr r5, r0, align 8",
        ],
        &["r5 = load ptr r0, align 8", "store ptr r3, r5, align 8"],
        &[
            "store ptr r3, r4, align 8",
            "r5 = load ptr r4, align 8",
            "return r5",
        ],
        &["return r3"],
        &["store ptr r3, r4, align 8", "return r4"],
    ] {
        let locals = private_in("callee", &[CALL], leaves);
        assert!(locals.starts_with('0'), "{leaves:?}");
    }
    let own = ["store ptr r0, r3, align 8", "store ptr r3, r4, align 8"];
    assert_eq!(private_in("callee", &[CALL], &own), "11", "in its own it may be");
    assert_eq!(private(&[CALL], &own), "111");
    // By a further call.
    let again = [
        "call f1(r0 as ptr, r3 as ptr, r4 as ptr)",
        "store ptr r1, r0, align 8",
    ];
    assert_eq!(private_in("callee", &[CALL], &again), "01");
    assert_eq!(private(&[CALL], &again), "111");
}

#[test]
fn a_callee_may_store_one_argument_in_another() {
    let stores = ["store ptr r1, r0, align 8"];
    for (main, expected) in [
        (&[CALL][..], "111"),
        (&["call f1(g0, r0 as ptr, r2 as ptr)"], "011"),
        (
            &[
                "r5 = load ptr g0, align 8",
                "call f1(r5 as ptr, r0 as ptr, r2 as ptr)",
            ],
            "011",
        ),
        (&[CALL, UNKNOWN], "001"),
        (&[CALL, "r5 = load ptr r1, align 8", "call f2(r5 as ptr)"], "011"),
        (&[CALL, "r10 = load i32 r1, align 4"], "011"),
        (
            &[
                "r5 = gep r1, 8 []",
                "call f1(r5 as ptr, r0 as ptr)",
                "r10 = load i32 r1, align 4",
            ],
            "111",
        ),
        (
            &[
                "r5 = gep r1, -16 []",
                "call f1(r1 as ptr, r0 as ptr)",
                "r14 = load i128 r5, align 4",
            ],
            "111",
        ),
        (
            &[
                "r5 = gep r1, 8 []",
                "call f1(r5 as ptr, r0 as ptr)",
                "r14 = load i128 r1, align 4",
            ],
            "011",
        ),
    ] {
        assert_eq!(private(main, &stores), expected, "{main:?}");
    }
    // The same object by two parameters.
    let aliased = [
        "store ptr r2, r0, align 8",
        "r5 = load ptr r1, align 8",
        "call f2(r5 as ptr)",
    ];
    assert_eq!(
        private(&["call f1(r1 as ptr, r1 as ptr, r0 as ptr)"], &aliased),
        "011"
    );
    assert_eq!(
        private(&["call f1(r1 as ptr, r2 as ptr, r0 as ptr)"], &aliased),
        "111"
    );
}

#[test]
fn a_callee_follows_what_it_is_given() {
    let nested = ["store ptr r0, r1, align 8", "store ptr r1, r2, align 8"];
    let call = "call f1(r2 as ptr, r2 as ptr, r2 as ptr)";
    for (callee, expected) in [
        (
            &["r5 = load ptr r0, align 8", "r10 = load i32 r5, align 4"][..],
            "011",
        ),
        (
            &[
                "r5 = load ptr r0, align 8",
                "r6 = gep r5, 8 []",
                "r10 = load i32 r6, align 4",
            ],
            "111",
        ),
        (
            &[
                "r5 = load ptr r0, align 8",
                "r6 = load ptr r5, align 8",
                "r10 = load i32 r6, align 4",
            ],
            "111",
        ),
        (&["r5 = load ptr r0, align 8", "call f2(r5 as ptr)"], "001"),
        (
            &[
                "r5 = load ptr r0, align 8",
                "r6 = load ptr r5, align 8",
                "call f2(r6 as ptr)",
            ],
            "011",
        ),
        (
            &[
                "r5 = load ptr r0, align 8",
                "store ptr r5, r3, align 8",
                "call f2(r3 as ptr)",
            ],
            "001",
        ),
        (
            &[
                "memcpy r3, r0, 8:i64",
                "r5 = load ptr r3, align 8",
                "call f2(r5 as ptr)",
            ],
            "001",
        ),
        (&["memcpy r3, r0, r9", "call f2(r3 as ptr)"], "001"),
        (
            &[
                "store ptr r0, r3, align 8",
                "r5 = load ptr r3, align 8",
                "call f2(r5 as ptr)",
            ],
            "000",
        ),
        (&["call f2(r0 as ptr)"], "000"),
        (
            &[
                "r5 = load ptr r0, align 8",
                "call f1(r5 as ptr, r5 as ptr, r5 as ptr)",
                "call f2(r5 as ptr)",
            ],
            "001",
        ),
    ] {
        let main = [&nested[..], &[call]].concat();
        assert_eq!(private(&main, callee), expected, "{callee:?}");
    }
    // What it returns.
    let call = "r5 = call f1(r2 as ptr, r2 as ptr, r2 as ptr)";
    let main = [&nested[..], &[call, "call f2(r5 as ptr)"]].concat();
    for (callee, expected) in [
        (&["r5 = load ptr r0, align 8", "return r5"][..], "001"),
        (
            &[
                "r5 = load ptr r0, align 8",
                "r6 = load ptr r5, align 8",
                "return r6",
            ],
            "011",
        ),
        (&["r5 = gep r0, 8 []", "return r5"], "000"),
        (&["r5 = load ptr g0, align 8", "return r5"], "111"),
    ] {
        assert_eq!(private(&main, callee), expected, "{callee:?}");
    }
    // A circle of three, and how far it is followed.
    let circle = ["store ptr r2, r0, align 8", "call f1(r2 as ptr)"];
    let main = [&nested[..], &circle].concat();
    let loads = [
        "r5 = load ptr r0, align 8",
        "r6 = load ptr r5, align 8",
        "r7 = load ptr r6, align 8",
    ];
    assert_eq!(private(&main, &loads[..2]), "111");
    assert_eq!(private(&main, &loads), "000");
    let recursion = [loads[0], "call f1(r5 as ptr, r5 as ptr, r5 as ptr)"];
    assert_eq!(private(&main, &recursion), "111");
}

/// A callee reads the first bytes, and its caller does not know where that is.
#[test]
fn an_unknown_offset_is_any() {
    let main = [
        "r5 = gep r1, 40 []",
        "store ptr r0, r5, align 8",
        "r6 = gep r1, 0 [r9:64 * 8]",
        "call f1(r6 as ptr)",
    ];
    assert_eq!(private(&main, &["r10 = load i32 r0, align 4"]), "011");
}

/// So many offsets count as all.
#[test]
fn many_offsets_are_any() {
    let mut lines: Vec<String> = (0..8).map(|n| format!("r5 = gep r1, {} []", 8 * n)).collect();
    lines.push("store ptr r0, r5, align 8".to_owned());
    let private = |lines: &[String]| {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        private(&lines, &[])
    };
    assert_eq!(private(&lines), "111");
    lines.push("r6 = gep r1, 48 []".to_owned());
    lines.push("r10 = load i32 r6, align 4".to_owned());
    assert_eq!(private(&lines), "011");
}
