internal import OATHExports

/// How far a state has come: an epoch, and how many changes were committed in it.
struct RollbackMark: Equatable {
  /// Random; a state that was put back begins another.
  var epoch: String
  var count = 0
  /// How many entries of the audit were ever sealed.
  var auditHead = 0
  /// The most tries in vain of any owner's PIN; in the file alone, which an older state does not take back.
  var tries = 0

  var sealed: [String] { [epoch, Self.digits(count), Self.digits(auditHead)] }

  /// Always as many, so that one line takes the place of another.
  fileprivate static func digits(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 19 - digits.count)) + digits
  }
}

/// What the file outside the state says.
enum RollbackFile {
  case absent
  /// Nothing that this state's key has sealed.
  case foreign
  case mark(RollbackMark)

  /// More than any such file has.
  static let maximumCount = 256
}

extension Sealer {
  /// The one line of the file: what the mark says, and a keyed digest of it.
  func counterLine(_ mark: RollbackMark) throws -> [UInt8] {
    let words = mark.sealed + [RollbackMark.digits(mark.tries)]
    let seal = Base32.encode(try digest("rollback.file", words))
    return Array("\(words.joined(separator: " ")) \(seal)\n".utf8)
  }

  /// What a file says that has this content.
  func rollbackFile(_ content: [UInt8]) throws -> RollbackFile {
    guard !content.isEmpty else { return .absent }
    let words = String(decoding: content, as: UTF8.self).split(separator: " ")
    guard words.count == 5, let count = Int(words[1]), let auditHead = Int(words[2]),
      let tries = Int(words[3])
    else { return .foreign }
    let mark = RollbackMark(epoch: String(words[0]), count: count, auditHead: auditHead, tries: tries)
    return try counterLine(mark) == content ? .mark(mark) : .foreign
  }
}
