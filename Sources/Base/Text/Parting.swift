extension Substring {
  /// What stands before and after the first place where a mark stands; `nil` if it stands nowhere.
  package func parted(by mark: String) -> (before: Substring, after: Substring)? {
    let length = mark.utf8.count
    var start = startIndex
    while start < endIndex {
      if let end = utf8.index(start, offsetBy: length, limitedBy: endIndex),
        utf8[start..<end].elementsEqual(mark.utf8)
      {
        return (self[..<start], self[end...])
      }
      start = utf8.index(after: start)
    }
    return nil
  }
}
