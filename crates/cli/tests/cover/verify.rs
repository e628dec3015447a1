//! Sets that were changed by hand, and `selvedge cover --verify`.

use super::PROGRAMS;
use super::support::{Ended, Place};
use selvedge_schedule::cover::{Cover, Object, Witness};

/// The arguments of `cover` for a program of this set.
struct Verify<'a> {
    place: &'a Place,
    words: &'a [&'a str],
}

impl Verify<'_> {
    fn of(&self, set: &Cover) -> Ended {
        self.place.write("changed", &set.to_string());
        let words = [self.words, &["--verify", "changed"]].concat();
        self.place.selvedge(&words)
    }

    fn holds(&self, set: &Cover) {
        let ended = self.of(set);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.out.contains("verified: "), "{ended:?}");
    }

    fn refuses(&self, set: &Cover, why: &str) {
        let ended = self.of(set);
        assert_eq!(ended.code, Some(5), "{why}: {ended:?}");
        let last = ended.out.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("unknown(") && last.contains(why),
            "{why}: {last}"
        );
        assert!(!ended.out.contains("verified: "), "{ended:?}");
    }
}

const WORDS: [&str; 4] = ["cover", "program.c", "--symbolic-args", "1:1"];

/// Of one byte.
fn argument(byte: u8) -> Vec<Witness> {
    vec![Witness {
        thread: "0".to_owned(),
        name: "argv[1]".to_owned(),
        bytes: vec![byte],
    }]
}

#[test]
fn a_witness_that_was_changed_is_noticed() {
    let (_, text) = PROGRAMS[0];
    let place = Place::new();
    let cover = place.cover_and_build(text);
    let verify = Verify {
        place: &place,
        words: &WORDS,
    };
    verify.holds(&cover);
    let changed = |change: &dyn Fn(&mut Vec<Witness>)| {
        let mut other = cover.clone();
        change(&mut other.schedules[0].witness);
        assert_ne!(other, cover);
        other
    };
    // Which schedule is the one of `x`.
    let bytes = |at: usize| cover.schedules[at].witness[0].bytes.clone();
    let is_x = bytes(0)[0] == b'x';
    let (other, same) = if is_x { (b'a', b'x') } else { (b'x', b'a') };
    assert_eq!(cover.schedules.len(), 2);
    assert_eq!(bytes(0).len(), argument(same)[0].bytes.len());
    let says = "the inputs of its schedule 1 do not lead along it: they lead along schedule 2";
    verify.refuses(&changed(&|witness| *witness = argument(other)), says);
    verify.refuses(
        &changed(&|witness| witness.clone_from(&cover.schedules[1].witness)),
        says,
    );
    verify.refuses(&changed(&Vec::clear), "it lacks the input `argv[1]` of thread 0");
    let twice = changed(&|witness| witness.push(witness[0].clone()));
    verify.refuses(
        &twice,
        "the program does not ask for its input `argv[1]` of thread 0",
    );
    let named = changed(&|witness| witness[0].name = "argv[2]".to_owned());
    verify.refuses(&named, "asks for `argv[1]` of thread 0 where it has `argv[2]`");
    let thread = changed(&|witness| witness[0].thread = "0.1".to_owned());
    verify.refuses(&thread, "where it has `argv[1]` of thread 0.1");
    let longer = changed(&|witness| witness[0].bytes.push(0));
    verify.refuses(&longer, "has 2 bytes, and not 1");
    // Another input of the same schedule is as good.
    let mut another = cover.clone();
    let at = usize::from(!is_x);
    assert_eq!(bytes(at)[0], b'x');
    another.schedules[1 - at].witness = argument(b'q');
    verify.holds(&another);
    // The list names the schedules that have no witness.
    let ended = verify.of(&changed(&|witness| *witness = argument(other)));
    assert!(
        ended
            .out
            .contains("schedule 1: not run for 1 class of inputs, such as argv[1] = ")
    );
    assert!(ended.out.contains("schedule 2: run for "), "{ended:?}");
}

#[test]
fn a_witness_of_requests_is_run_again() {
    let place = Place::new();
    place.write("program.c", include_str!("../../../../examples/served.c"));
    let words = ["cover", "program.c", "--symbolic-requests", "1"];
    let ended = place.selvedge(&[&words[..], &["-o", "set"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let cover = place.read("set");
    let verify = Verify {
        place: &place,
        words: &words,
    };
    verify.holds(&cover);
    for at in 0..cover.schedules.len() {
        let (given, goes_on) = (&cover.schedules[at].witness, cover.schedules[at].to.is_some());
        let changed = |witness: Vec<Witness>| {
            let mut other = cover.clone();
            other.schedules[at].witness = witness;
            other
        };
        let says = format!("the inputs of its schedule {} do not lead along it", at + 1);
        // Another schedule's inputs lead elsewhere.
        for (number, order) in cover.schedules.iter().enumerate() {
            if number != at {
                verify.refuses(&changed(order.witness.clone()), &says);
            }
        }
        if let Some((last, less)) = given.split_last() {
            verify.refuses(&changed(less.to_vec()), &says);
            // More than the schedule has asked for.
            let more = [&given[..], std::slice::from_ref(last)].concat();
            verify.refuses(&changed(more), &says);
            let mut ends = given.clone();
            let comes = ends.iter_mut().rfind(|input| input.name == "another request");
            comes.unwrap().bytes = vec![u8::from(!goes_on)];
            verify.refuses(&changed(ends), &says);
        }
    }
}

/// A thread counts itself before its first lock; what others see of that only the begin of a part
/// orders.
#[test]
fn witnesses_follow_what_only_parts_order() {
    let place = Place::new();
    place.write("program.c", include_str!("programs/early.c"));
    for words in [
        &["cover", "program.c", "--symbolic-requests", "1"][..],
        &[
            "cover",
            "program.c",
            "-DROUNDS",
            "--symbolic-args",
            "1:2",
            "--epochs",
        ],
    ] {
        let ended = place.selvedge(&[words, &["-o", "set"]].concat());
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let cover = place.read("set");
        let verify = Verify { place: &place, words };
        verify.holds(&cover);
        let of_part = |at: &usize| cover.schedules[*at].from == 1 && !cover.schedules[*at].witness.is_empty();
        let own: Vec<usize> = (0..cover.schedules.len()).filter(of_part).collect();
        for pair in own.windows(2) {
            let mut other = cover.clone();
            other.schedules[pair[0]]
                .witness
                .clone_from(&cover.schedules[pair[1]].witness);
            verify.refuses(&other, "do not lead along it");
        }
    }
}

#[test]
fn a_witness_that_the_program_excludes_is_noticed() {
    let text = "void __VERIFIER_assume(int);\n\
        int main(int argc, char **argv) { (void)argc; __VERIFIER_assume(argv[1][0] < 'c'); return 0; }\n";
    let place = Place::new();
    let mut cover = place.cover_and_build(text);
    let verify = Verify {
        place: &place,
        words: &WORDS,
    };
    verify.holds(&cover);
    cover.schedules[0].witness = argument(b'z');
    verify.refuses(&cover, "the program excludes them by an assumption");
}

#[test]
fn a_set_that_was_changed_is_noticed() {
    let (_, text) = PROGRAMS.into_iter().find(|program| program.0 == "queue").unwrap();
    let place = Place::new();
    let cover = place.cover_and_build(text);
    let words = [&WORDS[..], &["-DA", "-DB"]].concat();
    let ended = place.selvedge(&[&words[..], &["-o", "set"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let verify = Verify {
        place: &place,
        words: &words,
    };
    let (plain, cover) = (cover, place.read("set"));
    verify.refuses(&plain, "option `define` differs");
    let changed = |change: &dyn Fn(&mut Cover)| {
        let mut other = cover.clone();
        change(&mut other);
        assert_ne!(other, cover);
        other
    };
    // The order of schedules says nothing; all else does.
    verify.holds(&changed(&|set| set.schedules.reverse()));
    let swapped = changed(&|set| {
        let is_define = |option: &(String, String)| option.0 == "define";
        let at = set.options.iter().position(is_define).unwrap();
        set.options.swap(at, at + 1);
    });
    verify.refuses(&swapped, "option `define` differs");
    for at in 0..cover.schedules.len() {
        let less = changed(&|set| drop(set.schedules.remove(at)));
        verify.refuses(&less, "it has no schedule for ");
        let never = format!("the program never follows its schedule {}", at + 1);
        let wider = changed(&|set| set.schedules[at].classes += 1);
        verify.refuses(&wider, &format!("other inputs follow its schedule {}", at + 1));
        let waits = changed(&|set| {
            let mut steps = set.schedules[at].steps.iter_mut();
            steps.find(|step| !step.after.is_empty()).unwrap().after.pop();
        });
        verify.refuses(&waits, &never);
        let lost = changed(&|set| drop(set.schedules[at].steps.pop()));
        verify.refuses(&lost, &never);
    }
    let twice = changed(&|set| set.schedules.push(set.schedules[0].clone()));
    verify.refuses(&twice, "one of its schedules is there twice");
    let doubled = changed(&|set| set.objects.push(set.objects[0].clone()));
    verify.refuses(&doubled, "object `");
}

/// The name is the same, and what `build` makes of it is not.
#[test]
fn an_object_of_another_kind_is_noticed() {
    let text = "#include <pthread.h>\nint main(void) { pthread_mutex_t m; pthread_mutex_init(&m, 0);\n\
        pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_destroy(&m); return 0; }\n";
    let place = Place::new();
    let mut cover = place.cover_and_build(text);
    let verify = Verify {
        place: &place,
        words: &WORDS,
    };
    verify.holds(&cover);
    assert_eq!(cover.objects, [Object::Made("0".to_owned(), 1)]);
    cover.objects = vec![Object::Met("0".to_owned(), 1)];
    verify.refuses(&cover, "object `object(0:1)` differs");
}
