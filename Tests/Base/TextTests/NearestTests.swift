import Testing
import Text

@Suite("What was meant")
struct NearestTests {
  private let words = [
    "accounts", "approve", "audit", "lock", "login", "logout", "notifications", "otp", "unlock",
  ]

  @Test(
    "a word with a slip or two, or broken off, is known again",
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
    "nothing is said of a word that is far from all, near to two, or endless",
    arguments: ["", "a", "pair", "lo", "sessions", "xlock", String(repeating: "o", count: 1 << 20)]
  )
  func far(word: String) {
    #expect((words + ["block"]).nearest(to: word) == nil)
  }
}
