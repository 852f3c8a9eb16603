import Fixtures
import JSON
import Testing

@Suite("JSON fuzzing")
struct JSONFuzzTests {
  private static let cases = Seeds.scaled(20_000)
  private static let tokens = [
    "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud83d", "\\ude00", "null", "true", "-", "0", "1e",
    ".5",
    "\u{0}", "\u{7F}", "é", "😀", " ", "\n",
  ]

  /// Returns a random value with texts that need every kind of escape.
  private static func value(depth: Int, _ numbers: inout SeededNumbers) -> JSON {
    switch Int.random(in: 0..<(depth < 4 ? 8 : 6), using: &numbers) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &numbers))
    case 2: return .int(Int.random(in: .min ... .max, using: &numbers))
    case 3: return .number(JSONNumber(Double(bitPattern: numbers.next())))
    case 4, 5: return .string(text(&numbers))
    case 6:
      let count = Int.random(in: 0..<5, using: &numbers)
      return .array((0..<count).map { _ in value(depth: depth + 1, &numbers) })
    default:
      var object = JSONObject()
      // Sometimes enough members that names are compared by hash.
      for _ in 0..<Int.random(in: 0..<(depth == 0 ? 40 : 5), using: &numbers) {
        object[text(&numbers)] = value(depth: depth + 1, &numbers)
      }
      return .object(object)
    }
  }

  private static func text(_ numbers: inout SeededNumbers) -> String {
    var scalars = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0..<12, using: &numbers) {
      let limit: UInt32 = [0x20, 0x80, 0x800, 0x1_0000, 0x11_0000].randomElement(using: &numbers) ?? 0x80
      if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &numbers)) { scalars.append(scalar) }
    }
    return String(scalars)
  }

  private static func mutate(_ bytes: inout [UInt8], _ numbers: inout SeededNumbers) {
    let place = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &numbers)
    switch Int.random(in: 0..<5, using: &numbers) {
    case 0: bytes.insert(UInt8.random(in: 0...255, using: &numbers), at: place)
    case 1: bytes.insert(contentsOf: (tokens.randomElement(using: &numbers) ?? "").utf8, at: place)
    case 2: bytes = Array(bytes[..<place])
    case 3 where !bytes.isEmpty: bytes.remove(at: place)
    default: if !bytes.isEmpty { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers) }
    }
  }

  @Test("a random value is read back unchanged")
  func roundTrip() throws {
    var numbers = SeededNumbers(1)
    for _ in 0..<Self.cases / 10 {
      let value = Self.value(depth: 0, &numbers)
      let bytes = value.serialized
      #expect(try JSON(parsing: bytes) == value)
      #expect(!bytes.contains(0x0A) && !bytes.contains(0x0D), "a value is one line")
    }
  }

  @Test("a damaged text is refused or has one stable meaning")
  func damaged() throws {
    var numbers = SeededNumbers(2)
    var outcomes = (accepted: 0, refused: 0)
    for _ in 0..<Self.cases {
      var bytes = Self.value(depth: 0, &numbers).serialized
      for _ in 0...Int.random(in: 0..<4, using: &numbers) { Self.mutate(&bytes, &numbers) }
      if let value = try? JSON(parsing: bytes) {
        outcomes.accepted += 1
        let again = value.serialized
        #expect(try JSON(parsing: again) == value)
        #expect(try JSON(parsing: again).serialized == again)
      } else {
        outcomes.refused += 1
      }
    }
    // Both outcomes must be frequent. Otherwise the damage was too strong or too weak.
    #expect(outcomes.accepted > 1000 && outcomes.refused > 1000, "\(outcomes)")
  }

  @Test("arrays and objects nested more than 32 deep are refused")
  func nesting() throws {
    var numbers = SeededNumbers(3)
    for depth in 1...64 {
      var (opening, closing) = ("", "")
      for _ in 0..<depth {
        let isArray = Bool.random(using: &numbers)
        opening += isArray ? "[" : "{\"\":"
        closing = (isArray ? "]" : "}") + closing
      }
      let text = opening + "0" + closing
      if depth <= JSON.defaultDepth {
        #expect(throws: Never.self) { try JSON(parsing: text) }
      } else {
        #expect(throws: JSONError.tooDeep) { try JSON(parsing: text) }
      }
    }
  }
}
