internal import Glibc
internal import OATHExports
internal import OpenSSL

/// How often the PINs were tried that an owner had last, as a file beside the state says it in one line.
///
/// An earlier PIN comes back with an older copy of the database, which takes back neither its tries nor the others'.
struct PINSlot {
  /// Grows with each change, and never begins as low as another did.
  var version: Int
  /// The PIN in force is the last.
  private var pins: [Tries] = []

  private struct Tries {
    let identity: String
    let count: Int
  }

  /// How many PINs of an owner are remembered; of others it is not known how often they were tried.
  private static let limit = 4
  /// More than any such file has; it fits into one sector.
  static let maximumCount = 256

  init(version: Int) { self.version = version }

  /// One before any PIN.
  static func new() throws -> PINSlot {
    // What a lost slot had seen is none of this one.
    PINSlot(version: try randomBytes(5).reduce(0) { $0 << 8 | Int($1) })
  }

  func tries(of identity: String) -> Int? { pins.first { $0.identity == identity }?.count }

  /// What it says after a change of a PIN.
  func following(_ pin: PINRecord, _ identity: String) -> PINSlot {
    var slot = self
    slot.version = pin.version
    slot.pins.removeAll { $0.identity == identity }
    slot.pins = slot.pins.suffix(Self.limit - 1) + [Tries(identity: identity, count: pin.tries)]
    return slot
  }

  fileprivate var words: [String] {
    [version.digits()] + pins.flatMap { [$0.identity, $0.count.digits(2)] }
  }

  fileprivate init?(_ words: ArraySlice<String>) {
    guard let first = words.first, let version = Int(first), words.count % 2 == 1 else { return nil }
    self.init(version: version)
    for place in stride(from: words.startIndex + 1, to: words.endIndex, by: 2) {
      guard let count = Int(words[place + 1]) else { return nil }
      pins.append(Tries(identity: words[place], count: count))
    }
  }
}

extension Sealer {
  private static let name: StaticString = "pin.slot"

  /// By what a PIN is known in slots; of the row it tells nothing.
  func identity(of pin: PINRecord, _ owner: uid_t) throws -> String {
    Base32.encode(try Array(digest("pin.identity", ["\(owner)", "\(pin.salt)"]).prefix(10)))
  }

  func line(of slot: PINSlot, _ owner: uid_t) throws -> [UInt8] {
    try line(Self.name, ["\(owner)"] + slot.words)
  }

  /// What a file says that has this content; `nil` for anything that is not this owner's.
  func pinSlot(_ content: [UInt8], of owner: uid_t) throws -> PINSlot? {
    guard let words = try words(of: content, Self.name), words.first == "\(owner)" else { return nil }
    return PINSlot(words.dropFirst())
  }
}
