use super::*;
use crate::codes;

fn spelled(text: &str, options: &Options) -> (Vec<String>, Preprocessed) {
    let mut sources = Sources::default();
    let file = sources.add("test.pml", text);
    let preprocessed = preprocess(&mut sources, file, options);
    let words = preprocessed.tokens.iter().map(|token| sources.text(token.text).to_owned());
    (words.filter(|word| !word.is_empty()).collect(), preprocessed)
}

fn expanded(text: &str) -> Vec<String> {
    spelled(text, &Options::default()).0
}

#[test]
fn macros_expand_macros_but_never_themselves() {
    assert_eq!(expanded("#define A B + A\n#define B A * B\nA"), ["A", "*", "B", "+", "A"]);
}

#[test]
fn an_undefined_macro_is_a_name() {
    assert_eq!(expanded("#define N 3\nN\n#undef N\nN"), ["3", "N"]);
}

#[test]
fn options_define_macros() {
    let defines = vec![("N".into(), Some("7".into())), ("D".into(), None), ("U".into(), None)];
    let options = Options { defines, undefines: vec!["U".into()], ..Options::default() };
    assert_eq!(spelled("N D U", &options).0, ["7", "1", "U"]);
}

#[test]
fn a_use_is_where_its_tokens_stand() {
    let (_, preprocessed) = spelled("#define N 1 + 2\nx N;", &Options::default());
    let sites: Vec<u32> = preprocessed.tokens.iter().map(|token| token.span.start).collect();
    assert_eq!(sites, [16, 18, 18, 18, 19, 20]);
}

#[test]
fn an_argument_stays_where_it_is() {
    let text = "#define f(x, y) x + N(y)\n#define N(z) z * 2\nf(aa, bb)";
    let (words, preprocessed) = spelled(text, &Options::default());
    assert_eq!(words, ["aa", "+", "bb", "*", "2"]);
    let sites: Vec<_> = preprocessed.tokens.iter().map(|token| (token.span.start, token.span.end)).collect();
    assert_eq!(sites[..5], [(46, 48), (44, 53), (50, 52), (44, 53), (44, 53)]);
}

#[test]
fn an_explosion_hits_the_limit() {
    let mut text = String::from("#define M0 x x\n");
    for level in 1..40 {
        text += &format!("#define M{level} M{0} M{0}\n", level - 1);
    }
    let (_, preprocessed) = spelled(&(text + "M39"), &Options::default());
    assert_eq!(preprocessed.diagnostics[0].code, codes::EXPANSION_LIMIT);
}

#[test]
fn words_that_grow_hit_the_limit() {
    let mut text = String::from("#define P(x) x ## x\n#define Q(x) P(x)\n");
    text += &"Q(".repeat(60);
    text += "a";
    text += &")".repeat(60);
    let (_, preprocessed) = spelled(&text, &Options::default());
    assert_eq!(preprocessed.diagnostics[0].code, codes::EXPANSION_LIMIT);
}

#[test]
fn deep_calls_need_no_stack() {
    let text = format!("#define f(x) x\n{}a{}", "f(".repeat(1000), ")".repeat(1000));
    assert_eq!(expanded(&text), ["a"]);
    let text = format!("#if {}1{}\nx\n#endif", "(".repeat(200_000), ")".repeat(200_000));
    assert_eq!(expanded(&text), ["x"]);
    let text = format!("#define f(x) x\n{}a{}", "f(".repeat(100_000), ")".repeat(100_000));
    let (_, preprocessed) = spelled(&text, &Options::default());
    assert_eq!(preprocessed.diagnostics[0].code, codes::EXPANSION_LIMIT);
}

#[test]
fn a_first_token_on_a_line_stays_first_through_macros() {
    let (_, preprocessed) = spelled("#define E\n#define N x y\na\nE N", &Options::default());
    let first: Vec<bool> = preprocessed.tokens.iter().map(|token| token.first_on_line).collect();
    assert_eq!(first, [true, true, false, false]);
}

#[test]
fn conditions_that_are_left_out_have_one_else() {
    let errors = |text: &str| {
        let found = spelled(text, &Options::default()).1.diagnostics;
        found.iter().filter(|found| found.code == codes::UNBALANCED_CONDITION).count()
    };
    assert_eq!(errors("#if 0\n#if 1\n#elif 1\n#else\n#endif\n#if 1\n#else\n#endif\n#else\n#endif\n"), 0);
    assert_eq!(errors("#if 0\n#if 1\n#else\n#else\n#endif\n#endif\n"), 1);
    assert_eq!(errors("#if 1\n#else\n#ifdef N\n#else\n#elif 1\n#endif\n#endif\n"), 1);
}

#[test]
fn three_dots_are_not_made_of_two() {
    for (arguments, errors) in [("., ..", 1), ("..,.", 1), ("..,..", 1), ("..,1", 0), ("1,..", 0)] {
        let (_, found) = spelled(&format!("#define f(x, y) x ## y\nf({arguments})"), &Options::default());
        let wrong = found.diagnostics.iter().filter(|found| found.code == codes::BAD_PASTE).count();
        assert_eq!(wrong, errors, "{arguments}");
    }
}
