extension UnsafeBufferPointer<JSONObject.Member> {
  /// Whether no name is there twice: compared one by one where they are few, hashed where they are many.
  var haveDistinctNames: Bool {
    if count > 16 {
      var names = Set<NameBytes>(minimumCapacity: count)
      return allSatisfy { names.insert(NameBytes(name: $0.name)).inserted }
    }
    // One bit of each name's sum: a name whose bit none before it has is none of them.
    var marks: UInt64 = 0
    // By their places, since whoever is handed a member retains its name and its value.
    return indices.allSatisfy { index in
      let sum = self[index].name.utf8.reduce(0 as UInt64) { $0 &* 31 &+ UInt64($1) }
      let mark: UInt64 = 1 << (sum & 63)
      let isNew = marks & mark == 0 || !self[..<index].has(self[index].name)
      marks |= mark
      return isNew
    }
  }
}

extension Slice<UnsafeBufferPointer<JSONObject.Member>> {
  fileprivate func has(_ name: String) -> Bool {
    indices.contains { self[$0].name.hasSameBytes(as: name) }
  }
}

/// A name by its bytes; texts that are canonically equivalent are two names.
private struct NameBytes: Hashable {
  let name: String

  static func == (left: NameBytes, right: NameBytes) -> Bool { left.name.hasSameBytes(as: right.name) }

  func hash(into hasher: inout Hasher) {
    var name = name
    name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
