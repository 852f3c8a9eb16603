/// How far a state has come: an epoch, and how many changes were committed in it.
struct RollbackMark: Equatable {
  /// Random; a state that was put back begins another.
  var epoch: String
  var count = 0
  /// How many entries of the audit were ever sealed.
  var auditHead = 0

  var sealed: [String] { [epoch, count.digits(), auditHead.digits()] }
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
  private static let name: StaticString = "rollback.file"

  func counterLine(_ mark: RollbackMark) throws -> [UInt8] { try line(Self.name, mark.sealed) }

  /// What a file says that has this content.
  func rollbackFile(_ content: [UInt8]) throws -> RollbackFile {
    guard !content.isEmpty else { return .absent }
    guard let words = try words(of: content, Self.name), words.count == 3,
      let count = Int(words[1]), let auditHead = Int(words[2])
    else { return .foreign }
    return .mark(RollbackMark(epoch: words[0], count: count, auditHead: auditHead))
  }
}
