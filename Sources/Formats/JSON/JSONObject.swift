/// The members of a JSON object, in their order, each name once.
public struct JSONObject: Sendable {
  /// A name with its value.
  public struct Member: Sendable {
    /// The name, with escapes resolved.
    public let name: String
    public var value: JSON
    /// Where the value stood in the text that was parsed, as offsets of bytes; empty for made values.
    public let source: Range<Int>
    let fingerprint: Fingerprint

    init(name: String, value: JSON, source: Range<Int>, fingerprint: Fingerprint) {
      (self.name, self.value, self.source, self.fingerprint) = (name, value, source, fingerprint)
    }

    /// A member that is made.
    init(_ name: String, _ value: JSON) {
      self.init(name: name, value: value, source: 0..<0, fingerprint: Fingerprint(name))
    }
  }

  /// The members in the order in which they were written.
  public private(set) var members: [Member]

  /// An object without members.
  public init() { members = [] }

  init(parsed members: [Member]) { self.members = members }

  /// An object of these members; the last of several values for one name stays.
  public init(_ elements: [(String, JSON)]) {
    members = []
    for (name, value) in elements { self[name] = value }
  }

  init(distinct elements: [(String, JSON)]) {
    members = elements.map { Member($0.0, $0.1) }
  }

  /// The value of a member; setting `nil` removes it.
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

  /// The whole member of that name.
  public func member(_ name: String) -> Member? { index(of: name).map { members[$0] } }

  private func index(of name: String) -> Int? {
    let fingerprint = Fingerprint(name)
    // By their places, since whoever is handed a member retains its name and its value.
    return members.withUnsafeBufferPointer { members in
      members.indices.first { members[$0].isNamed(name, fingerprint) }
    }
  }

  /// Whether there are no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The names in their order.
  public var names: [String] { members.map(\.name) }
}

extension JSONObject: Equatable {
  /// Equal objects have the same names with equal values, in any order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.members.count == right.members.count && left.members.allSatisfy { right[$0.name] == $0.value }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// An object of the literal's members, whose names must differ.
  public init(dictionaryLiteral elements: (String, JSON)...) { self.init(distinct: elements) }
}
