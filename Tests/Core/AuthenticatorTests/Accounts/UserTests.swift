import Authenticator
import ControlAPI
import JSON
import Testing

@Suite("What a platform says of people")
struct UserTests {
  @Test("both of PingOne's shapes of a user are read")
  func shapes() {
    let nested: JSON = [
      "id": "u-1", "username": "ann", "email": "a@b.c", "name": ["given": "Ann", "family": "Lee"],
    ]
    let flat: JSON = [
      "userId": "u-1", "username": "ann", "email": "a@b.c", "given": "Ann", "family": "Lee",
    ]
    let ann = User(id: "u-1", username: "ann", email: "a@b.c", given: "Ann", family: "Lee")
    #expect(User(platform: nested) == ann)
    #expect(User(platform: flat) == ann)
    #expect(User(platform: ann.json) == ann)
    #expect(User(platform: ["id": "u-1"]) == User(id: "u-1"))
  }

  @Test("a user without a usable id is none, and texts that are empty or no texts are left out")
  func refused() {
    for id in ["", "a/b", "..", "a b", "ü", .null, 7, ["x"]] as [JSON] {
      #expect(User(platform: ["id": id]) == nil, "\(id.text)")
    }
    #expect(User(platform: "u-1") == nil)
    let odd: JSON = ["id": "u-1", "username": "\u{202E}", "email": 7, "name": ["given": ["x"]]]
    #expect(User(platform: odd) == User(id: "u-1"))
  }

  @Test("texts of a user are made fit to be shown")
  func cleaned() {
    let user = User(platform: ["id": "u", "username": "a\u{202E}b\u{1B}[31m\n"])
    #expect(user?.username == "ab[31m")
  }

  @Test(
    "an id can stand in a path",
    arguments: ["a", "A.b_c-9", "...", String(repeating: "x", count: 64)]
  )
  func goodID(text: String) {
    #expect(PlatformID.isValid(text))
  }

  @Test(
    "what could mean another path is no id",
    arguments: [
      "", ".", "..", "a/b", "a?b", "a#b", "a%2F", "a b", "a\n", "a\0", "é", "e\u{301}",
      String(repeating: "x", count: 65),
    ]
  )
  func badID(text: String) {
    #expect(!PlatformID.isValid(text))
  }
}

@Suite("Text from outside")
struct SafeTextTests {
  @Test("ordinary text of any script stays as it is")
  func ordinary() {
    for text in ["Sign on?", "Grüße – «ok»", "日本語", "שלום", "مرحبا", "👩‍👩‍👧", "e\u{301}", "a\u{200D}b"] {
      #expect(SafeText.clean(text) == text)
    }
  }

  @Test("characters that steer a terminal or the direction of text are removed")
  func steering() {
    let steering: [Unicode.Scalar] = [
      "\u{0}", "\u{7}", "\u{8}", "\u{A}", "\u{D}", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{61C}",
      "\u{200E}",
      "\u{200F}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2028}", "\u{2029}",
      "\u{2066}",
      "\u{2067}", "\u{2068}", "\u{2069}", "\u{FEFF}", "\u{E0001}", "\u{E0041}",
    ]
    for scalar in steering { #expect(SafeText.clean("a\(scalar)b") == "ab", "\(scalar.value)") }
  }

  @Test("a text is cut to so many characters, however many marks they carry")
  func length() {
    #expect(SafeText.clean(String(repeating: "x", count: 201)).count == 200)
    #expect(SafeText.clean(String(repeating: "x", count: 500), maximum: SafeText.bodyLength).count == 400)
    #expect(SafeText.clean(String(repeating: "👩‍👩‍👧", count: 300)).unicodeScalars.count <= 800)
    let zalgo = "a" + String(repeating: "\u{301}", count: 100_000)
    #expect(SafeText.clean(zalgo).unicodeScalars.count <= 800)
    #expect(SafeText.clean(zalgo, maximum: 1).count == 1)
  }
}
