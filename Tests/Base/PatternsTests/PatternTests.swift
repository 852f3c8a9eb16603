import Testing

import Patterns

@Suite("Patterns of forms")
struct PatternTests {
  private static let cases: [(pattern: String, found: [String], missing: [String])] = [
    (#"^[^@]+@[^@]+\.[^@]+$"#, ["a@b.c", "ann.x@mail.example"], ["", "a@b", "a@@b.c", "@b.c", "a@b."]),
    (#"^[^@]+@[^@]+[.][^@]+$"#, ["a@b.c"], ["a@bxc"]), (".", ["x", "xy", "é"], ["", "\n"]),
    (#"^\d{6}$"#, ["012345"], ["01234", "0123456", "01234a", " 012345"]),
    (#"\d{2,3}"#, ["a12", "1234"], ["1a2"]),
    (#"^\d{2,}$"#, ["12", "123"], ["1"]), ("^(a|bc)*d$", ["d", "abcad"], ["abad", "ab"]),
    (
      #"^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)(?!.*\s).{8,}$"#, ["Passw0rdX"],
      ["password1", "PASSWORD1", "Password", "Pass w0rdX", "Pa1"]
    ), (#"^[\w.+-]+$"#, ["a.b+c-d_9"], ["a b", "é"]), (#"^[a-z-]$"#, ["-", "q"], ["A"]),
    (#"^\bfoo\b"#, ["foo bar"], ["food"]), (#"a\Bb"#, ["ab"], ["a b"]),
    ("^(?<y>x)?y$", ["y", "xy"], ["xxy"]),
    ("^a{,2}$", ["a{,2}"], ["aa"]), ("^x{2}$", ["xx"], ["x", "xxx"]), ("^(?:)$", [""], ["a"]),
    ("^()*$", [""], ["a"]), ("^(a*)*$", ["", "aaa"], ["b"]), ("^(a?){3}$", ["", "a", "aaa"], ["aaaa"]),
    (#"^[^\d\s]$"#, ["a"], ["1", " "]), (#"^[\D]$"#, ["a", "é"], ["1"]),
    (#"^\S+$"#, ["ab"], ["a b", "\u{A0}"]),
    (#"^\x41B\/\-$"#, ["AB/-"], ["ab/-"]), ("^[]$", [], ["", "a"]), ("^[^]$", ["a", "\n"], [""]),
    ("^a+?b??$", ["aa", "aab"], ["b"]), ("^$", [""], ["a"]), ("", ["", "a"], []),
  ]

  @Test("what a pattern takes is found, and nothing else", arguments: cases.indices)
  func found(index: Int) throws {
    let (text, found, missing) = Self.cases[index]
    let pattern = try #require(Pattern(text), "\(text)")
    for sample in found { #expect(pattern.isFound(in: sample) == true, "\(text) in \(sample)") }
    for sample in missing { #expect(pattern.isFound(in: sample) == false, "\(text) in \(sample)") }
  }

  @Test(
    "a pattern that is none, or is not understood, is told",
    arguments: [
      "(", ")", "a)", "(a", "[", "[a", "*", "a**", "(?<=a)b", "(?<!a)b", #"(a)\1"#, #"\p{L}"#, #"\"#, #"\cA"#,
      "[b-a]",
      "a{2,1}", "a{1001}", #"\u12"#, #"\xZZ"#, "(?i)a", "(?", "(?<",
    ]
  )
  func notUnderstood(text: String) {
    #expect(Pattern(text) == nil)
  }

  @Test("patterns and texts that are made to take long are given up")
  func hostile() throws {
    let text = String(repeating: "a", count: 40) + "!"
    for pattern in [
      "^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(.*)*b$", "^(((a*)*)*)*$", "^(?=(a+)+$)x", "(.*){1,999}b",
    ] {
      #expect(try #require(Pattern(pattern)).isFound(in: text) != true, "\(pattern)")
    }
    #expect(try #require(Pattern("^(a+)+$")).isFound(in: text) == nil)
    let long = String(repeating: "a", count: 1024)
    #expect(try #require(Pattern("^(?:a)*$")).isFound(in: long) == true)
    #expect(try #require(Pattern("a$")).isFound(in: long + "a") == nil)
    let wide = "^[" + String(repeating: #"\s"#, count: 1000) + "a]*$"
    #expect(try #require(Pattern(wide)).isFound(in: long) == nil)
    #expect(Pattern(String(repeating: "(", count: 100) + String(repeating: ")", count: 100)) == nil)
    #expect(Pattern(String(repeating: "a", count: 2049)) == nil)
  }

  @Test("the searches of a page share its steps")
  func shared() throws {
    let (bomb, plain) = (try #require(Pattern("^(a+)+$")), try #require(Pattern("^a+$")))
    var steps = Pattern.stepsOfPage
    #expect(plain.isFound(in: "aaa", steps: &steps) == true)
    #expect(steps < Pattern.stepsOfPage && steps > Pattern.stepsOfPage - 100)
    #expect(bomb.isFound(in: String(repeating: "a", count: 40) + "!", steps: &steps) == nil)
    #expect(plain.isFound(in: "aaa", steps: &steps) == nil)
  }
}

extension Pattern {
  /// Whether it is found with all the steps of a page.
  fileprivate func isFound(in text: String) -> Bool? {
    var steps = Self.stepsOfPage
    return isFound(in: text, steps: &steps)
  }
}
