//! Random computations with variables that have no value, on the stack, in the heap, in structures
//! and in memory that another thread reads. With `-DWRITTEN` each of them is an input from the
//! beginning on. The same must be wrong with both.

use super::generate::Random;

const TYPES: &[&str] = &["int", "unsigned", "short", "unsigned char", "long", "signed char"];
const NUMBERS: &[&str] = &["1", "-1", "3", "31", "0x7f"];
const NAMES: &[&str] = &["a", "b", "c"];

/// A program, and the properties to ask for.
pub fn program(seed: u64) -> (String, &'static str) {
    let random = &mut Random(seed ^ 0x756e_7772_6974_7465);
    let mut begin = String::new();
    let mut names = Vec::new();
    for name in NAMES {
        let ty = random.pick(TYPES);
        let (declared, used) = match random.below(6) {
            0 => (format!("{ty} {name} = 5;"), (*name).to_owned()),
            1 => (
                format!("{ty} *{name} = malloc(sizeof *{name}); BEGIN(*{name})"),
                format!("*{name}"),
            ),
            2 => (
                format!(
                    "struct {{ char x; {ty} y, z; }} {name}_, {name}; BEGIN({name}_.y) {name} = {name}_;"
                ),
                format!("{name}.y"),
            ),
            3 => (
                format!("{ty} {name}[3]; BEGIN({name}[0]) {name}[1] = {name}[0]; BEGIN({name}[2])"),
                format!("{name}[{}]", random.below(3)),
            ),
            _ => (format!("{ty} {name}; BEGIN({name})"), (*name).to_owned()),
        };
        begin += &format!("    {declared}\n");
        names.push(used);
    }
    let mut body = String::new();
    for _ in 0..1 + random.below(3) {
        let depth = 1 + random.below(2);
        let value = expression(random, &names, depth);
        let written = &names[random.below(3) as usize];
        body += &match random.below(5) {
            0 => format!(
                "    for (int i = 0; i < 2; i++) {{ int fresh; BEGIN(fresh) g += fresh & 1; {written} = {value}; }}\n"
            ),
            1 => format!("    if (({value}) == {}) reach_error();\n", random.pick(NUMBERS)),
            _ => format!("    {written} = {value};\n"),
        };
    }
    let threads = random.below(3) == 0;
    let (create, join) = match threads {
        true => (
            format!(
                "    shared = &{};\n    pthread_create(&t, 0, reader, 0);\n",
                names[0]
            ),
            "    pthread_join(t, 0);\n",
        ),
        false => (String::new(), ""),
    };
    // What another thread reads is not written meanwhile.
    let (before, after) = match threads {
        true => (body.as_str(), ""),
        false => ("", body.as_str()),
    };
    let text = format!("{HEAD}int main(void)\n{{\n{begin}{before}{create}{join}{after}    return 0;\n}}\n");
    let asked = [
        "overflow",
        "arithmetic",
        "arithmetic,overflow,assertion",
        "assertion",
    ];
    (text, asked[random.below(4) as usize])
}

fn expression(random: &mut Random, names: &[String], depth: u64) -> String {
    if depth == 0 {
        return match random.below(3) {
            0 => (*random.pick(NUMBERS)).to_owned(),
            _ => names[random.below(3) as usize].clone(),
        };
    }
    let mut part = || expression(random, names, depth - 1);
    let (x, y) = (part(), part());
    match random.below(13) {
        0..2 => format!("({x} + {y})"),
        2..4 => format!("({x} - {y})"),
        4 => format!("({x} * {})", random.pick(NUMBERS)),
        5 => format!("({x} << ({y} & {}))", random.pick(&["3", "15", "31", "63"])),
        6 => format!("({x} >> ({y} & {}))", random.pick(&["3", "15", "31", "63"])),
        7 => format!("({x} & {y})"),
        8 => format!("({x} ^ {y})"),
        9 => format!(
            "({x} {} {})",
            random.pick(&["/", "%"]),
            random.pick(&["-1", "2", "(g | 1)"])
        ),
        10 => format!("(- {x})"),
        11 => format!("(({}){x})", random.pick(TYPES)),
        _ => format!("({x} ? {y} : {})", names[random.below(3) as usize]),
    }
}

const HEAD: &str = r"#include <pthread.h>
#include <stdlib.h>

extern long __VERIFIER_nondet_long(void);
extern void reach_error(void);

#ifdef WRITTEN
#define BEGIN(x) x = __VERIFIER_nondet_long();
#else
#define BEGIN(x)
#endif

static int g;
static void *shared;
static pthread_t t;

static void *reader(void *argument)
{
    if (*(signed char *)shared == 7)
        reach_error();
    return argument;
}

";
