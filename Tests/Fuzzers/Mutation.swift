import Fixtures

/// Random changes of an input, determined by a seed: a subset of libFuzzer's mutations, and repetition of a
/// part.
struct Mutation {
  private var numbers: SeededNumbers
  private let maximumLength: Int
  /// Bytes that are significant to some parser.
  private static let meaningful =
    Array(
      "\u{0}\u{7f}\"\\{}[],:;=&%+-/.?#<>()0123456789eE\n\r\t ".utf8
    ) + [0x80, 0xff]

  init(seed: UInt64, maximumLength: Int) {
    (numbers, self.maximumLength) = (SeededNumbers(seed), maximumLength)
  }

  /// Returns an input after one to four changes.
  mutating func applied(to input: [UInt8], splicing others: [[UInt8]]) -> [UInt8] {
    var bytes = input
    for _ in 0..<Int.random(in: 1...4, using: &numbers) { change(&bytes, others) }
    return Array(bytes.prefix(maximumLength))
  }

  private mutating func change(_ bytes: inout [UInt8], _ others: [[UInt8]]) {
    let place = Int.random(in: 0...bytes.count, using: &numbers)
    let end = Int.random(in: place...min(bytes.count, place + 64), using: &numbers)
    switch Int.random(in: 0..<7, using: &numbers) {
    case 0: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers) }
    case 1: if place < bytes.count { bytes[place] = Self.meaningful.randomElement(using: &numbers) ?? 0 }
    case 2: bytes.insert(Self.meaningful.randomElement(using: &numbers) ?? 0, at: place)
    case 3: bytes.removeSubrange(place..<end)
    case 4: bytes.removeLast(bytes.count - place)
    case 5:
      let other = others.randomElement(using: &numbers) ?? []
      bytes.replaceSubrange(place..., with: other.suffix(from: min(place, other.count)))
    default: repeatPiece(place..<end, of: &bytes)
    }
  }

  /// High cost mostly results from many repetitions of something small.
  private mutating func repeatPiece(_ range: Range<Int>, of bytes: inout [UInt8]) {
    guard !range.isEmpty else { return }
    let room = max(0, maximumLength - bytes.count) / range.count
    let times = min(room, 1 << Int.random(in: 0..<17, using: &numbers))
    let piece = bytes[range]
    bytes.insert(contentsOf: repeatElement(piece, count: times).joined(), at: range.lowerBound)
  }
}
