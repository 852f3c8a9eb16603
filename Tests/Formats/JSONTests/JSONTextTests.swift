import JSON
import Testing

@Suite("JSON texts")
struct JSONTextTests {
  @Test("a string from escapes equals the same string without escapes")
  func escapedStrings() throws {
    // A string of more than 15 bytes remembers whether it is ASCII.
    let long = String(repeating: "x", count: 20)
    for (escaped, plain) in [("\\u00e9", "é"), ("e\\u0301", "e\u{301}"), ("\\ud83d\\ude00", "😀")] {
      let text = try #require(try JSON(parsing: "\"\(long)\(escaped)\"").string)
      #expect(
        text == long + plain && text.count == 21
          && Array(text.unicodeScalars) == Array((long + plain).unicodeScalars)
      )
    }
  }

  @Test("a value keeps member order, number spelling and text")
  func roundTrip() throws {
    let text = #"{"b":1.50,"a":[true,null,"\u0041\ud83d\ude00\n"],"é":-0e+1}"#
    let value = try JSON(parsing: text)
    #expect(value.text == #"{"b":1.50,"a":[true,null,"A😀\n"],"é":-0e+1}"#)
  }

  @Test("the source range of a member is its value in the text")
  func source() throws {
    let text = #"{ "id" : "\u0041", "x":1}"#
    let member = try #require(try JSON(parsing: text).object?.member("id"))
    #expect(String(decoding: Array(text.utf8)[member.source], as: UTF8.self) == #""\u0041""#)
  }

  @Test("duplicate names are refused, also escaped and among many")
  func duplicates() {
    #expect(throws: JSONError.duplicateName) { try JSON(parsing: #"{"a":1,"\u0061":2}"#) }
    let many = (0..<40).map { "\"n\($0)\":0" }.joined(separator: ",")
    #expect(throws: JSONError.duplicateName) { try JSON(parsing: "{\(many),\"n3\":1}") }
    #expect(throws: Never.self) { try JSON(parsing: "{\(many)}") }
  }

  @Test("a duplicate among 5000 names is found")
  func manyNames() throws {
    let many = (0..<5000).map { "\"name-\($0)\":\($0)" }.joined(separator: ",")
    let object = try JSON(parsing: "{\(many)}")
    for number in [0, 9, 10, 4999] { #expect(object["name-\(number)"]?.int == number) }
    for twice in ["name-0", "name-2500", "name-4999", "name-\\u0037"] {
      #expect(throws: JSONError.duplicateName) { try JSON(parsing: "{\(many),\"\(twice)\":0}") }
    }
  }

  @Test("names of every length are found and not confused with similar ones")
  func lengths() throws {
    let names = (0...40).flatMap { count in
      let text = String(repeating: "x", count: count)
      return count == 0 ? [text] : [text, "y" + text.dropFirst(), text.dropLast() + "y"]
    }
    let distinct = Set(names).sorted()
    let object = JSONObject(distinct.map { ($0, .string($0)) })
    #expect(object.members.count == distinct.count)
    let read = try JSON(parsing: JSON.object(object).text)
    for name in distinct { #expect(object[name]?.string == name && read[name]?.string == name) }
  }

  @Test("characters that need escapes are found at every position")
  func places() throws {
    for (before, after) in (0..<20).flatMap({ before in (0..<10).map { (before, $0) } }) {
      func text(around middle: String) -> String {
        String(repeating: "a", count: before) + middle + String(repeating: "z", count: after)
      }
      for value in 0..<0x180 {
        let scalar = String(try #require(Unicode.Scalar(value).map(Character.init)))
        let written = text(around: scalar)
        let parsed = try? JSON(parsing: "\"\(written)\"").string
        if value < 0x20 || "\"\\".contains(scalar) {
          #expect(parsed == nil, "\(value) after \(before)")
          #expect(try JSON(parsing: JSON.string(written).serialized).string == written)
        } else {
          #expect(parsed == written, "\(value) after \(before)")
        }
      }
    }
  }

  @Test("canonically equivalent names are different")
  func equivalence() throws {
    let value = try JSON(parsing: "{\"\u{e9}\":1,\"e\u{301}\":2}")
    #expect(value["\u{e9}"] == 1)
    #expect(value["e\u{301}"] == 2)
  }

  @Test("nesting beyond the limit is refused")
  func nesting() {
    let allowed = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
    #expect(throws: Never.self) { try JSON(parsing: allowed) }
    #expect(throws: JSONError.tooDeep) { try JSON(parsing: "[\(allowed)]") }
    #expect(throws: JSONError.tooDeep) { try JSON(parsing: String(repeating: "[", count: 100_000)) }
  }

  @Test("more values than the limit for the length are refused, wherever they are nested")
  func values() throws {
    for (value, values) in [("1", 1), ("[]", 1), (#"{"a":[1]}"#, 3)] {
      let text = "[\(Array(repeating: value, count: 60_000).joined(separator: ","))]"
      let maximum = JSON.defaultValues(length: text.utf8.count)
      #expect(60_000 * values > maximum)
      #expect(throws: JSONError.tooManyValues(maximum: maximum)) { try JSON(parsing: text) }
      #expect(try JSON(parsing: Array(text.utf8), maximumValues: 60_000 * values + 1).array?.count == 60_000)
      #expect(throws: JSONError.tooManyValues(maximum: 60_000 * values)) {
        try JSON(parsing: Array(text.utf8), maximumValues: 60_000 * values)
      }
    }
    let few = "[\(Array(repeating: "1", count: 16_384).joined(separator: ","))]"
    #expect(try JSON(parsing: few).array?.count == 16_384)
  }

  @Test(
    "malformed JSON is refused",
    arguments: [
      "", " ", "{", "[1,]", "{\"a\":1,}", "01", "1.", "+1", "nul", "'a'", "\"\\ud800\"", "\"\\udc00\"",
      "\"\t\"", "\u{FEFF}1", "1 2", "\"\\x\"", "[1 2]", "{\"a\" 1}", "{1:2}", "NaN",
    ]
  )
  func malformed(text: String) {
    #expect(throws: JSONError.self) { try JSON(parsing: text) }
  }

  @Test("bytes that are not UTF-8 are refused", arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22]])
  func encoding(bytes: [UInt8]) {
    #expect(throws: JSONError.self) { try JSON(parsing: bytes) }
  }

  @Test("memory footprint counts the parts of a value, not only its text")
  func footprint() throws {
    let small = try JSON(parsing: #"{"a":[1,true,null,"x"]}"#)
    #expect((100..<1000).contains(small.footprint) && JSON.null.footprint == 0)
    let text = String(repeating: "x", count: 100_000)
    #expect((100_000..<101_000).contains(JSON.string(text).footprint))
    let lists = try JSON(parsing: "[" + Array(repeating: "[1]", count: 8_000).joined(separator: ",") + "]")
    #expect(lists.footprint > 8_000 * 64)
    // An object allocates space for more than one member.
    let objects = try JSON(parsing: "[" + String(repeating: #"{"a":1},"#, count: 8_000) + "1]")
    #expect(objects.footprint > 8_000 * 256)
  }
}
