/// A list of names below headings.
enum NameList {
  /// Returns the headings with their names, without other lines that begin with a number sign.
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
