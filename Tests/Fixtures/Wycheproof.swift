package import JSON

/// A test case of a Wycheproof file, and its group, which contains the key.
package struct WycheproofCase: Sendable {
  /// Result that the authors of the case expect.
  package enum Verdict: String, Sendable {
    case valid, acceptable, invalid
  }

  /// The members that the group's cases share.
  package let group: JSON
  /// The members of the case.
  package let test: JSON
  /// The case's number in its file.
  package let id: Int
  /// Result that the authors expect.
  package let verdict: Verdict

  /// Returns all cases of a file in order.
  package static func all(in file: String) throws -> [WycheproofCase] {
    let document = try Fixtures.json("wycheproof/\(file)_test.json")
    let cases = try (document["testGroups"]?.array ?? []).flatMap { group in
      try (group["tests"]?.array ?? []).map { try WycheproofCase(group: group, test: $0) }
    }
    guard cases.count == document["numberOfTests"]?.int else { throw Fixtures.Failure.unexpected(file) }
    return cases
  }

  private init(group: JSON, test: JSON) throws {
    let verdict = test["result"]?.string.flatMap(Verdict.init(rawValue:))
    guard let id = test["tcId"]?.int, let verdict else { throw Fixtures.Failure.unexpected(test.text) }
    self.group = group
    self.test = test
    self.id = id
    self.verdict = verdict
  }

  /// Returns the bytes of a hexadecimal member of the case.
  package func bytes(_ name: String) throws -> [UInt8] { try Self.bytes(test[name]) }

  /// Returns the bytes of a hexadecimal member of the group's key.
  package func keyBytes(_ name: String) throws -> [UInt8] { try Self.bytes(group["publicKey"]?[name]) }

  private static func bytes(_ value: JSON?) throws -> [UInt8] {
    guard let text = value?.string else { throw Fixtures.Failure.unexpected("no such member") }
    return try hexadecimal(text)
  }
}
