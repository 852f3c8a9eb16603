import Testing

@testable import JSON

@Suite("Name fingerprints")
struct FingerprintTests {
  /// Names that were constructed to have the same fingerprint.
  private static let colliding = ["identity--.--A.D", "iaictccwFMCIFbcz"]

  @Test("names with colliding fingerprints stay different", arguments: [0, 1, 15, 40])
  func made(others: Int) throws {
    #expect(Fingerprint(Self.colliding[0]) == Fingerprint(Self.colliding[1]))
    let names = Self.colliding + (0..<others).map { "n\($0)" }
    let text = JSON.object(JSONObject(names.map { ($0, .string($0)) })).text
    let object = try #require(JSON(parsing: text).object)
    #expect(object.names == names)
    for name in names { #expect(object[name]?.string == name) }
    #expect(try JSON(parsing: #"{"\#(Self.colliding[0])":1}"#)[Self.colliding[1]] == nil)
  }

  @Test(
    "short names of equal length have distinct fingerprints",
    arguments: 1...Fingerprint.wholeLength
  )
  func own(length: Int) {
    let base = Array("identity".utf8.prefix(length))
    let names = base.indices.flatMap { first in
      base.indices.flatMap { second in
        (UInt8.min...63).map { value in
          var name = base
          name[first] ^= value
          name[second] ^= value &* 37 & 127
          return name
        }
      }
    }
    let fingerprints = names.map { name in name.withUnsafeBufferPointer { Fingerprint($0).bits } }
    #expect(Set(fingerprints).count == Set(names).count)
  }

  @Test("a duplicate name is found at every position", arguments: [2, 3, 8, 16, 17])
  func twice(count: Int) {
    for first in 0..<count {
      for second in first + 1..<count + 1 {
        var names = (0..<count).map { "name \($0)" }
        names.insert(names[first], at: second)
        let text = "{\(names.map { "\"\($0)\":0" }.joined(separator: ","))}"
        #expect(throws: JSONError.duplicateName) { try JSON(parsing: text) }
      }
    }
  }
}
