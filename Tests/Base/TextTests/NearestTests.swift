import Testing
import Text

@Suite("Nearest word")
struct NearestTests {
  private let words = [
    "accounts", "approve", "audit", "lock", "login", "logout", "notifications", "otp", "unlock",
  ]

  @Test(
    "a word with one or two typing errors, or truncated, is matched",
    arguments: [
      ("acounts", "accounts"), ("aprove", "approve"), ("aduit", "audit"), ("AUDIT", "audit"),
      ("logn", "login"),
      ("notif", "notifications"), ("opt", "otp"), ("unlok", "unlock"), ("acocnuts", "accounts"),
    ]
  )
  func near(word: String, meant: String) {
    #expect(words.nearest(to: word) == meant)
  }

  @Test(
    "a word that is unlike all, close to two, or very long has no match",
    arguments: ["", "a", "pair", "lo", "sessions", "xlock", String(repeating: "o", count: 1 << 20)]
  )
  func far(word: String) {
    #expect((words + ["block"]).nearest(to: word) == nil)
  }
}
