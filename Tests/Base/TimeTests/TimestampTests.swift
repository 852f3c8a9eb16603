import Testing
import Time

@Suite("Timestamps")
struct TimestampTests {
  @Test(
    "RFC 3339 text and seconds convert both ways",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (1_111_111_109, "2005-03-18T01:58:29Z"),
      (1_795_251_600, "2026-11-21T09:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
      (4_102_444_799, "2099-12-31T23:59:59Z"),
    ]
  )
  func text(seconds: Int, text: String) {
    #expect(Timestamp(seconds: seconds).text == text)
    #expect(Timestamp(text: text) == Timestamp(seconds: seconds))
  }

  @Test("a fraction of a second is truncated to milliseconds")
  func fraction() {
    #expect(Timestamp(text: "1970-01-01T00:00:01.5Z")?.milliseconds == 1500)
    #expect(Timestamp(text: "1970-01-01T00:00:01.123456Z")?.milliseconds == 1123)
  }

  @Test(
    "text that is not an instant in UTC is refused",
    arguments: [
      "", "2026-11-21", "2026-11-21T09:00:00", "2026-11-21T09:00:00+01:00", "2026-02-29T00:00:00Z",
      "2026-13-01T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T09:00:60Z", "2026-11-21 09:00:00Z",
      "2026-11-21T09:00:00.Z", "2026-11-21T09:00:0xZ", "२०२६-११-२१T09:00:00Z",
    ]
  )
  func malformed(text: String) {
    #expect(Timestamp(text: text) == nil)
  }

  @Test("extreme instants are clamped without a trap")
  func extremes() {
    #expect(Timestamp(seconds: .max).adding(seconds: .max).milliseconds == .max)
    #expect(Timestamp(seconds: .max).text == "9999-12-31T23:59:59Z")
    #expect(Timestamp(seconds: .min).text == "0000-01-01T00:00:00Z")
  }
}
