//! The random programs.

/// SplitMix64: the same programs everywhere.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below another.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// One of a list.
    pub fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }
}

const TYPES: &[&str] = &[
    "unsigned",
    "int",
    "unsigned char",
    "signed char",
    "short",
    "unsigned short",
    "long",
    "unsigned long",
];
const COMPARISONS: &[&str] = &["<", "<=", ">", ">=", "==", "!="];
const CONSTANTS: &[&str] = &[
    "0", "1", "2", "3", "5", "7", "16", "31", "64", "127", "128", "200", "255", "256", "1000", "-1", "-2",
    "-128",
];
const VARIABLES: &[&str] = &["v0", "v1", "v2", "v3", "v4"];

fn atom(random: &mut Random) -> &'static str {
    match random.below(10) {
        0..4 => random.pick(&["a", "b"]),
        4..8 => random.pick(VARIABLES),
        _ => random.pick(CONSTANTS),
    }
}

fn expression(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.below(7) == 0 {
        return atom(random).to_owned();
    }
    let (x, y) = (expression(random, depth - 1), expression(random, depth - 1));
    let to = random.pick(TYPES);
    match random.below(16) {
        0..3 => {
            let op = random.pick(&["+", "-", "*"]);
            format!("({to})((unsigned long)({x}) {op} (unsigned long)({y}))")
        }
        3..5 => format!("({to})(({x}) {} ({y}))", random.pick(&["&", "|", "^"])),
        5 => format!("({to})((unsigned)({x}) << (({y}) & 31))"),
        6 => format!(
            "({to})(({})({x}) >> (({y}) & 7))",
            random.pick(&["unsigned", "int", "long", "unsigned char"])
        ),
        7 => format!(
            "({to})((unsigned)({x}) {} ((unsigned)({y}) | 1))",
            random.pick(&["/", "%"])
        ),
        8 => format!(
            "({to})((short)({x}) {} ((short)({y}) % 64 * 2 + 1))",
            random.pick(&["/", "%"])
        ),
        9..11 => format!("({to})t[(unsigned)({x}) & 7]"),
        11 => format!("(({x}) {} ({y}))", random.pick(COMPARISONS)),
        12 => format!("({} ? {x} : {y})", condition(random, depth - 1)),
        13 => format!("({to})__builtin_popcount({x})"),
        14 => format!("({to})abs((short)({x}))"),
        _ => format!("(~({x}))"),
    }
}

fn condition(random: &mut Random, depth: u32) -> String {
    let (x, y) = (expression(random, depth), expression(random, depth));
    format!("({x}) {} ({y})", random.pick(COMPARISONS))
}

fn statement(random: &mut Random, depth: u32) -> String {
    match if depth == 0 {
        random.below(5)
    } else {
        random.below(10)
    } {
        0..3 => {
            let value = expression(random, 2);
            format!("{} = {value};", random.pick(VARIABLES))
        }
        3 => {
            let (at, value) = (expression(random, 1), expression(random, 2));
            format!("t[(unsigned)({at}) & 7] = (int)({value});")
        }
        4 => {
            let (at, value) = (expression(random, 1), expression(random, 1));
            format!("*(unsigned char *)&t[(unsigned)({at}) & 7] = (unsigned char)({value});")
        }
        5..8 => {
            let (yes, no) = (statement(random, depth - 1), statement(random, depth - 1));
            format!(
                "if ({}) {{ note(1); {yes} }} else {{ note(0); {no} }}",
                condition(random, 2)
            )
        }
        8 => {
            let first = random.below(8);
            let second = first + 1 + random.below(4);
            let (one, other) = (statement(random, 0), statement(random, 0));
            let end = random.pick(&["break;", ""]);
            format!(
                "switch (({}) & 15) {{ case {first}: note(1); {one} {end} case {second}: note(2); {other} break; default: note(0); }}",
                expression(random, 1)
            )
        }
        _ => {
            let body = statement(random, 0);
            let limit = expression(random, 1);
            format!("for (unsigned i = 0, n = (unsigned)({limit}) & 3; i < n; i++) {{ note(1); {body} }}")
        }
    }
}

/// A program that computes.
pub fn computation(seed: u64) -> String {
    let random = &mut Random(seed);
    let mut body = String::from("int t[8] = {3, 1, 4, 1, 5, -9, 2, 6};\n");
    for variable in VARIABLES {
        let value = random.pick(&["a", "b", "a + b", "a * 3", "b - a", "-5", "300"]);
        body += &format!("    {} {variable} = {value};\n", random.pick(TYPES));
    }
    for _ in 0..3 + random.below(3) {
        body += &format!("    {}\n", statement(random, 2));
    }
    let variable = random.pick(VARIABLES);
    body += &format!("    unsigned sum = (unsigned){variable};\n");
    body += "    for (int i = 0; i < 8; i++)\n        sum = sum * 31 + (unsigned)t[i];\n";
    body += &format!(
        "    if ((sum & 255) == {})\n        note(1);\n",
        random.below(256)
    );
    body += "    if (sum & 0x8000)\n        note(1);\n";
    whole(&body)
}

const CALLS: &[&str] = &[
    "sign(strcmp(x, y));",
    "sign(strncmp(x, y, 2));",
    "sign(memcmp(x, y, 3));",
    "sign(strcasecmp(x, y));",
    "place(strchr(x, b), x);",
    "place(strrchr(x, a), x);",
    "place(strstr(x, y), x);",
    "place(strcasestr(x, y), x);",
    "place(memchr(x, b, 3), x);",
    "place(memrchr(x, a, 3), x);",
    "place(memmem(x, 3, y, 2), x);",
    "place(strchrnul(x, b), x);",
    "place(strpbrk(x, y), x);",
    "count(strlen(x));",
    "count(strnlen(y, 2));",
    "count(strspn(x, y));",
    "count(strcspn(x, y));",
    "count(strlen(strcpy(z, x)));",
    "strncpy(z, y, 5); sign(memcmp(z, x, 3));",
    "count(strlen(strcat(strcpy(z, x), y)));",
    "place(strchr(strncat(strcpy(z, x), y, 1), 'x'), z);",
    "{ char *end; sign(strtol(x, &end, 0)); place(end, x); }",
    "{ char *end; sign(strtol(x, &end, 16)); place(end, x); }",
    "{ char *end; sign((long)strtoul(y, &end, 10)); place(end, y); }",
    "sign(atoi(y));",
    "{ char *rest = x, *word = strsep(&rest, \", \"); count(strlen(word)); place(rest, x); }",
    "{ char *rest, *word = strtok_r(x, \" ,-\", &rest); place(word, x); if (word) count(strlen(word)); }",
    "sign(!!isalpha(x[0])); sign(!!(isdigit)(x[1] & 255));",
    "sign(toupper(x[0]) == 'X'); sign(!!ispunct(x[1] & 127));",
    "{ char *copy = strdup(x); count(strlen(copy)); free(copy); }",
    "qsort(x, 3, 1, by_byte); sign(x[0] - x[1]);",
    "sign(abs((signed char)a) - 5);",
    "sign(ffs(a) - 4);",
];
const CHARACTERS: &[&str] = &[
    "a",
    "b",
    "a",
    "b",
    "'x'",
    "'1'",
    "'-'",
    "'A'",
    "'a'",
    "' '",
    "','",
    "(char)(a ^ 32)",
    "(char)((a & 1) + 48)",
];

/// A program that calls library functions.
pub fn library_calls(seed: u64) -> String {
    let random = &mut Random(seed);
    let mut text = |length: u64| {
        let characters: Vec<&str> = (0..length).map(|_| random.pick(CHARACTERS)).collect();
        format!("{{{}}}", characters.join(", "))
    };
    let x = text(3);
    let y = text(1 + seed % 3);
    let mut body = format!("char x[4] = {x}, y[4] = {y}, z[12] = \"\";\n");
    for _ in 0..1 + random.below(3) {
        body += &format!("    {}\n", random.pick(CALLS));
    }
    whole(&body)
}

/// The program around a body that has the inputs `a` and `b`.
fn whole(body: &str) -> String {
    format!("{HEAD}static void run(unsigned char a, unsigned char b)\n{{\n    {body}}}\n{TAIL}")
}

const HEAD: &str = r#"#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

unsigned char __VERIFIER_nondet_uchar(void);

static unsigned long trail;

static void note(int x) { trail = trail * 13 + (unsigned)x + 1; }

static void sign(long value)
{
    if (value < 0)
        note(0);
    else if (value == 0)
        note(1);
    else if (value == 7)
        note(2);
    else
        note(3);
}

static void count(unsigned long value)
{
    for (unsigned i = 0; i < 10; i++)
        if (value == i)
            note((int)i);
}

static void place(const void *at, const char *start)
{
    if (!at)
        note(11);
    else
        count((unsigned long)((const char *)at - start));
}

static int by_byte(const void *a, const void *b) { return *(const unsigned char *)a - *(const unsigned char *)b; }

"#;

const TAIL: &str = r#"
int main(void)
{
#ifdef ALL_INPUTS
    for (int a = 0; a < 256; a++)
        for (int b = 0; b < 256; b++) {
            trail = 1;
            run((unsigned char)a, (unsigned char)b);
            printf("%lu\n", trail);
        }
#else
    unsigned char a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar();
    trail = 1;
    run(a, b);
    printf("%lu\n", trail);
#endif
    return 0;
}
"#;
