import Fixtures
import JSON
import Testing

@Suite("JSONTestSuite")
struct JSONTestSuiteTests {
  private static let names = (try? Fixtures.names(in: "jsontestsuite/test_parsing")) ?? []

  private static func names(_ prefix: String) -> [String] { names.filter { $0.hasPrefix(prefix) } }

  private static func parse(_ name: String) throws -> JSON {
    try JSON(parsing: try Fixtures.bytes("jsontestsuite/test_parsing/" + name))
  }

  /// Duplicate names, which RFC 8259 section 4 only advises against and this parser refuses.
  private static let duplicates = [
    "y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json",
  ]

  @Test("the suite is complete")
  func complete() {
    #expect(Self.names("y_").count == 95)
    #expect(Self.names("n_").count == 188)
    #expect(Self.names("i_").count == 35)
  }

  @Test("a valid text is accepted unless it has duplicate names", arguments: names("y_"))
  func accepted(name: String) throws {
    guard Self.duplicates.contains(name) else { return _ = try Self.parse(name) }
    #expect(throws: JSONError.duplicateName) { try Self.parse(name) }
  }

  @Test("an invalid text is refused", arguments: names("n_"))
  func refused(name: String) {
    #expect(throws: JSONError.self) { try Self.parse(name) }
  }

  /// Texts that the RFC leaves open and that are accepted: numbers of any size, which are kept as text.
  private static let open: Set<String> = [
    "i_number_double_huge_neg_exp.json", "i_number_huge_exp.json", "i_number_neg_int_huge_exp.json",
    "i_number_pos_double_huge_exp.json", "i_number_real_neg_overflow.json", "i_number_real_pos_overflow.json",
    "i_number_real_underflow.json", "i_number_too_big_neg_int.json", "i_number_too_big_pos_int.json",
    "i_number_very_big_negative_int.json",
  ]

  @Test("an implementation-defined text is accepted only if it is a number", arguments: names("i_"))
  func decided(name: String) {
    let isAccepted = (try? Self.parse(name)) != nil
    #expect(isAccepted == Self.open.contains(name))
  }

  @Test(
    "an accepted text has the same value after rewriting",
    arguments: names("y_").filter { !duplicates.contains($0) } + open
  )
  func stable(name: String) throws {
    let value = try Self.parse(name)
    #expect(try JSON(parsing: value.serialized) == value)
  }
}

@Suite("JSONTestSuite, ambiguous texts")
struct JSONTransformTests {
  /// The expected result of a text: its rewritten form, or the error that refuses it.
  private enum Meaning: Sendable {
    case written(String)
    case refused(JSONError)
  }

  private static let meanings: [String: Meaning] = [
    "number_-9223372036854775808.json": .written("[-9223372036854775808]"),
    "number_-9223372036854775809.json": .written("[-9223372036854775809]"),
    "number_1.0.json": .written("[1.0]"),
    "number_1.000000000000000005.json": .written("[1.000000000000000005]"),
    "number_1000000000000000.json": .written("[1000000000000000]"),
    "number_10000000000000000999.json": .written("[10000000000000000999]"),
    "number_1e-999.json": .written("[1E-999]"),
    "number_1e6.json": .written("[1E6]"),
    "number_9223372036854775807.json": .written("[9223372036854775807]"),
    "number_9223372036854775808.json": .written("[9223372036854775808]"),
    "object_key_nfc_nfd.json": .written("{\"\u{e9}\":\"NFC\",\"e\u{301}\":\"NFD\"}"),
    "object_key_nfd_nfc.json": .written("{\"e\u{301}\":\"NFD\",\"\u{e9}\":\"NFC\"}"),
    "object_same_key_different_values.json": .refused(.duplicateName),
    "object_same_key_same_value.json": .refused(.duplicateName),
    "object_same_key_unclear_values.json": .refused(.duplicateName),
    "string_1_escaped_invalid_codepoint.json": .refused(.malformed(offset: 8)),
    "string_1_invalid_codepoint.json": .refused(.malformed(offset: 5)),
    "string_2_escaped_invalid_codepoints.json": .refused(.malformed(offset: 14)),
    "string_2_invalid_codepoints.json": .refused(.malformed(offset: 8)),
    "string_3_escaped_invalid_codepoints.json": .refused(.malformed(offset: 14)),
    "string_3_invalid_codepoints.json": .refused(.malformed(offset: 11)),
    "string_with_escaped_NULL.json": .written(#"["A\u0000B"]"#),
  ]

  @Test("an ambiguous text has the expected value or error")
  func meanings() throws {
    let names = try Fixtures.names(in: "jsontestsuite/test_transform")
    #expect(Set(names) == Set(Self.meanings.keys))
    for (name, meaning) in Self.meanings {
      let bytes = try Fixtures.bytes("jsontestsuite/test_transform/" + name)
      switch meaning {
      case .written(let text): #expect(try JSON(parsing: bytes).serialized == Array(text.utf8), "\(name)")
      case .refused(let error): #expect(throws: error, "\(name)") { try JSON(parsing: bytes) }
      }
    }
  }

  @Test("an integer is exact if it fits into 64 bits and otherwise nil")
  func integers() throws {
    let values: [(String, Int?)] = [
      ("9223372036854775807", .max), ("9223372036854775808", nil), ("-9223372036854775808", .min),
      ("-9223372036854775809", nil), ("1.0", nil), ("1E6", nil), ("-0", 0),
    ]
    for (text, value) in values { #expect(try JSON(parsing: text).int == value, "\(text)") }
  }
}
