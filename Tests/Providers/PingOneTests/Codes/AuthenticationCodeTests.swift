import PingOne
import Testing

@Suite("parsing of authentication codes")
struct AuthenticationCodeTests {
  @Test(
    "a code is found alone and in a URI, in either case",
    arguments: [
      "AB12CD34", "ab12cd34", "  AB12CD34\n", "https://x.example/?authentication_code=AB12CD34",
      "pingone://auth?app=1&authentication_code=ab12cd34&x=y", "https://x/?authentication_code=AB12CD34#top",
      "pingonesdk?authentication_code=AB12CD34", "mfad://code?a=b&authentication_code=ab12cd34&c=d#e",
    ]
  )
  func accepted(text: String) {
    #expect(AuthenticationCode(text)?.text == "AB12CD34")
  }

  @Test(
    "a text that is not exactly a code is rejected",
    arguments: [
      "", "AB12CD3", "AB12CD345", "AB12-D34", "AB12 D34", "AB12CD3é", "ab12cd3ß", "ＡＢ１２ＣＤ３４", "AB12CD3\0",
      "xauthentication_code=AB12CD34", "https://x/?xauthentication_code=AB12CD34",
      "https://x/?authentication_code=", "https://x/?authentication_code=AB12CD3", "https://x/?code=AB12CD34",
      "authentication_code=AB12CD34", "https://x/?authentication_code=AB12CD34/../..",
    ]
  )
  func refused(text: String) {
    #expect(AuthenticationCode(text) == nil)
  }
}

@Suite("parsing of pairing keys")
struct PairingKeyTests {
  @Test(
    "spaces, hyphens and case do not matter",
    arguments: ["01ABCDEFGHJKMN", "01-abcd-efgh-jkmn", " 01 ABCD EFGH JKMN\n", "01abcdefghjkmn"]
  )
  func accepted(text: String) {
    #expect(PairingKey(text)?.text == "01ABCDEFGHJKMN")
  }

  @Test("a key has 14 or 18 characters")
  func lengths() {
    for count in 0...32 {
      let isTaken = PairingKey(String(repeating: "A", count: count)) != nil
      #expect(isTaken == [14, 18].contains(count), "\(count)")
    }
  }

  @Test(
    "other characters are rejected",
    arguments: [
      "01ABCDEFGHJKM_", "01ABCDEFGHJKMß", "01ABCDEFGHJKM\u{130}", "01ABCDEFGHJKM/", "01ABCDEFGHJKM\0",
    ]
  )
  func refused(text: String) {
    #expect(PairingKey(text) == nil)
  }
}
