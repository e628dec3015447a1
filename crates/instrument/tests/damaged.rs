//! Sets of schedules that were damaged: each is refused with a message, or there is a runtime for
//! it. Nothing panics.

use selvedge_cover::{Plan, Without};
use selvedge_instrument::{Native, OnDeviation, Source, lacking, rewritten, runtime};
use selvedge_schedule::cover::Cover;

/// A program of two threads and a request.
const SET: &str = "selvedge-cover 2
input a.c
option entry main
object 0 global 0 m
object 1 made 0 1
object 2 met 0.1 2
part 1
stands 0 request -
stands 0.1 lock o0
schedule 1 from 0 to 1
op 0 init o1 done # a.c:1
op 0 create 0.1 done # a.c:2
op 0.1 lock o0 done # a.c:3
op 0.1 lock o2 done # a.c:4
op 0.1 unlock o2 done # a.c:4
op 0.1 unlock o0 done # a.c:5
schedule 2 from 1 to 1
witness 0 01 another request
witness 0 61 request
op 0 request - done # a.c:6
op 0.1 lock o0 done after 0:1 # a.c:3
op 0.1 unlock o0 done # a.c:5
schedule 1 from 1
witness 0 00 another request
op 0 request - done # a.c:6
op 0.1 lock o0 done after 0:1
op 0.1 unlock o0 done
op 0.1 end - done
op 0 join 0.1 done after 0.1:3
op 0 exit - done
";

/// Makes of a set what `build` makes of it.
fn made(text: &str) -> Result<(), String> {
    let cover: Cover = text.parse().map_err(|error| format!("{error}"))?;
    let plan = Plan::of(&cover)?;
    let module = ["@m = internal global [40 x i8] zeroinitializer\n".to_owned()];
    assert!(lacking(&module).is_empty());
    rewritten(&module, &cover).map_err(|refused| format!("{refused:?}"))?;
    let native = Native {
        on: OnDeviation::Stop,
        without: &Without::default(),
    };
    runtime(&cover, &plan, Source::C, &native).map(drop)
}

#[test]
fn damaged_sets_are_refused_with_a_message() {
    assert_eq!(made(SET), Ok(()));
    let lines: Vec<&str> = SET.lines().collect();
    let mut texts = Vec::new();
    for at in 0..lines.len() {
        let mut changed = lines.clone();
        changed.remove(at);
        texts.push(changed.join("\n"));
        let mut changed = lines.clone();
        changed.insert(at, lines[at]);
        texts.push(changed.join("\n"));
        texts.push(lines[..at].join("\n"));
        for other in 0..at {
            let mut changed = lines.clone();
            changed.swap(at, other);
            texts.push(changed.join("\n"));
        }
        // Each word is another one.
        let words: Vec<&str> = lines[at].split(' ').collect();
        for word in 0..words.len() {
            for new in [
                "",
                "0",
                "0.1",
                "0.1.7",
                "o2",
                "99999999999999999999",
                "4294967295",
                "0:1",
                "é",
                "-",
            ] {
                let mut other = words.clone();
                other[word] = new;
                let other = other.join(" ");
                let mut changed = lines.clone();
                changed[at] = &other;
                texts.push(changed.join("\n"));
            }
        }
    }
    let refused: Vec<String> = texts.iter().filter_map(|text| made(text).err()).collect();
    assert!(refused.iter().all(|why| !why.is_empty()));
    // Most changes are noticed even without the program; those of witnesses and places are not.
    assert!(
        refused.len() * 2 > texts.len(),
        "{} of {}",
        refused.len(),
        texts.len()
    );
}
