//! To which assertions the order of threads matters, as the report says.

use crate::setup;
use selvedge_explore::Stop;
use selvedge_model::Property;
use selvedge_session::{Dependence, Options, Strategy, Unobserved, check};
use std::collections::BTreeMap;
use std::path::Path;

/// Each assertion says at the end of its line whether the order of threads may decide about it.
const PROGRAM: &str = r"#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int shared, set_before, set_after, set_beside, either, table[8], both, *kept_in;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void fill(int *at, int n) { *at = n; }
static int twice(int n) { return n + n; }
static int next(int n) { return n + 1; }
static void *work(void *arg)
{
    int id = *(int *)arg, own[2] = {1, 2}, h = id * 7 % 8;
    assert(own[1] == 2); // apart
    assert(set_before == 5); // apart
    fill(&own[0], 7);
    assert(twice(own[0]) == 14); // apart
    assert(h >= 0); // order
    table[1]++;
    assert(table[1] > 0); // order
    if (shared)
        assert(own[0] == 1); // order
    assert(rand() >= 0); // order
    assert(next(shared) < 9); // order
    *(int *)arg = 1;
    both = 1;
    if (kept_in)
        *kept_in = 1;
    return arg;
}
static void *count(void *arg)
{
    int id = (int)(long)arg;
    both = 2;
    set_after = 3;
    assert(id * 7 % 8 >= 0); // apart
    return arg;
}
static void *left(void *arg)
{
    either = 1;
    return arg;
}
static void *right(void *arg)
{
    either = 2;
    return arg;
}
static void *beside(void *arg)
{
    assert(set_beside < 9); // order
    return arg;
}
int main(void)
{
    pthread_t one, two, three, four, five, six;
    int given = 0, kept = 0, mine;
    set_before = 5;
    kept_in = &kept;
    assert(set_after == 0); // apart
    pthread_create(&two, 0, count, (void *)1L);
    pthread_join(two, 0);
    assert(set_after == 3); // apart
    both = 4;
    assert(both == 4); // apart
    pthread_create(&one, 0, work, &given);
    pthread_create(&three, 0, work, &given);
    shared = 1;
    fill(&mine, 3);
    assert(mine == 3); // apart
    pthread_create(&four, 0, beside, 0);
    set_beside = 1;
    pthread_join(four, 0);
    assert(set_beside == 1); // apart
    pthread_create(&five, 0, left, 0);
    pthread_create(&six, 0, right, 0);
    pthread_join(five, 0);
    pthread_join(six, 0);
    assert(either >= 1); // order
    assert(given >= 0); // order
    assert(kept >= 0); // order
    assert(pthread_mutex_trylock(&m) == 0); // order
    pthread_join(one, 0);
    pthread_join(three, 0);
    assert(both == 1); // order
    return 0;
}
";

#[test]
fn the_report_says_to_which_assertions_the_order_of_threads_matters() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("order.c");
    std::fs::write(&path, PROGRAM).expect("the temporary directory is writable");
    let said = |dependence| {
        let options = Options {
            properties: [Property::Assertion].into(),
            strategy: Some(Strategy::Dpor),
            dependence,
            stop: Stop::Never,
            max_executions: Some(1),
            jobs: Some(1),
            setup: setup(&path),
            ..Options::default()
        };
        let program = options.setup.load().expect("the program is right");
        let checked = check(&program, &options, &Unobserved).expect("the program runs");
        checked.report.assertions
    };
    assert_eq!(said(Dependence::Conflict), None);
    let assertions = said(Dependence::Predicate).expect("the program has a slice");
    let said: BTreeMap<u32, bool> = assertions
        .iter()
        .map(|assertion| (assertion.location.line, assertion.by_order))
        .collect();
    let expected: BTreeMap<u32, bool> = (1..)
        .zip(PROGRAM.lines())
        .filter_map(|(number, line)| {
            let (_, word) = line.split_once("; // ")?;
            Some((number, word == "order"))
        })
        .collect();
    assert_eq!(said, expected);
}
