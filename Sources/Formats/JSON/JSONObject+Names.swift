extension UnsafeBufferPointer<JSONObject.Member> {
  /// True if no name is duplicated.
  var haveDistinctNames: Bool { count > 16 ? haveDistinctNamesOfMany : haveDistinctNamesOfFew }

  /// Uses indices, here and below, because passing a member to a closure retains its name and value.
  private var haveDistinctNamesOfFew: Bool {
    // Each name so far has set one of these bits. Few names share a bit.
    var taken: UInt64 = 0
    return indices.allSatisfy { index in
      let bit: UInt64 = 1 << (self[index].fingerprint.bits >> 58)
      defer { taken |= bit }
      return taken & bit == 0
        || !indices[..<index].contains { self[$0].isNamed(self[index].name, self[index].fingerprint) }
    }
  }

  /// A name with a bit of its own in the filters is unique.
  ///
  /// The other names are compared in a set with a seeded hash, so an attacker cannot choose names that
  /// collide in it.
  private var haveDistinctNamesOfMany: Bool {
    var taken = BloomFilter(for: count)
    var shared = BloomFilter(for: count)
    for index in indices where !taken.insert(self[index].fingerprint) {
      shared.insert(self[index].fingerprint)
    }
    var names: Set<NameBytes> = []
    return indices.allSatisfy { index in
      !shared.has(self[index].fingerprint) || names.insert(NameBytes(name: self[index].name)).inserted
    }
  }
}

extension JSONObject.Member {
  /// True if the member has this name with this fingerprint.
  func isNamed(_ name: String, _ fingerprint: Fingerprint) -> Bool {
    guard self.fingerprint == fingerprint, self.name.utf8.count == name.utf8.count else { return false }
    return name.utf8.count <= Fingerprint.wholeLength || self.name.hasSameBytes(as: name)
  }
}

/// A bit set in which each name sets one bit; it has eight bits for each name, so that few names share a bit.
private struct BloomFilter {
  private static let bitsPerName = 8
  private var words: [UInt64]
  private let shift: Int

  init(for count: Int) {
    let width = max(6, Int.bitWidth - (count * Self.bitsPerName).leadingZeroBitCount)
    words = Array(repeating: 0, count: 1 << (width - 6))
    shift = 64 - width
  }

  func has(_ name: Fingerprint) -> Bool {
    let bit = name.bits >> shift
    return words[Int(bit >> 6)] >> (bit & 63) & 1 == 1
  }

  /// Sets the bit of a name; returns false if it was set already.
  @discardableResult
  mutating func insert(_ name: Fingerprint) -> Bool {
    guard !has(name) else { return false }
    let bit = name.bits >> shift
    words[Int(bit >> 6)] |= 1 << (bit & 63)
    return true
  }
}

/// A name compared by its bytes; canonically equivalent texts are different names.
private struct NameBytes: Hashable {
  let name: String

  static func == (left: NameBytes, right: NameBytes) -> Bool { left.name.hasSameBytes(as: right.name) }

  func hash(into hasher: inout Hasher) {
    var name = name
    name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
