/// The members of a JSON object in their order, with unique names.
public struct JSONObject: Sendable {
  /// A name and its value.
  public struct Member: Sendable {
    /// The name, with escapes resolved.
    public let name: String
    public var value: JSON
    /// Byte range of the value in the parsed text; empty for created values.
    public let source: Range<Int>
    let fingerprint: Fingerprint

    init(name: String, value: JSON, source: Range<Int>, fingerprint: Fingerprint) {
      (self.name, self.value, self.source, self.fingerprint) = (name, value, source, fingerprint)
    }

    /// Creates a member that was not parsed.
    init(_ name: String, _ value: JSON) {
      self.init(name: name, value: value, source: 0..<0, fingerprint: Fingerprint(name))
    }
  }

  /// The members in their order.
  public private(set) var members: [Member]

  /// An object without members.
  public init() { members = [] }

  init(parsed members: [Member]) { self.members = members }

  /// Creates an object of these members; the last value of a duplicate name is used.
  public init(_ elements: [(String, JSON)]) {
    members = []
    for (name, value) in elements { self[name] = value }
  }

  init(distinct elements: [(String, JSON)]) {
    members = elements.map { Member($0.0, $0.1) }
  }

  /// The value of a member; setting `nil` removes the member.
  public subscript(_ name: String) -> JSON? {
    get { index(of: name).map { members[$0].value } }
    set {
      switch (index(of: name), newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(name, value))
      case (nil, nil): break
      }
    }
  }

  /// Returns the member with this name.
  public func member(_ name: String) -> Member? { index(of: name).map { members[$0] } }

  private func index(of name: String) -> Int? {
    let fingerprint = Fingerprint(name)
    // Uses indices, because passing a member to a closure retains its name and value.
    return members.withUnsafeBufferPointer { members in
      members.indices.first { members[$0].isNamed(name, fingerprint) }
    }
  }

  public var isEmpty: Bool { members.isEmpty }

  /// The names in their order.
  public var names: [String] { members.map(\.name) }
}

extension JSONObject: Equatable {
  /// True for the same names with equal values, in any order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.members.count == right.members.count && left.members.allSatisfy { right[$0.name] == $0.value }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Creates an object of a literal; its names must differ.
  public init(dictionaryLiteral elements: (String, JSON)...) { self.init(distinct: elements) }
}
