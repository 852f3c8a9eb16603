/// A list of names below headings.
enum NameList {
  /// The headings with their names; lines that begin with a number sign and are no heading say what the list is.
  static func sections(_ text: String) -> [(section: String, names: [String])] {
    var sections: [(section: String, names: [String])] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("## ") {
        sections.append((String(line.dropFirst(3)), []))
      } else if !line.hasPrefix("#"), !sections.isEmpty {
        sections[sections.count - 1].names.append(String(line))
      }
    }
    return sections
  }
}
