/// A name of the native SDK on one platform, with its object as section.
struct NativeName: Hashable, CustomStringConvertible {
  enum Platform: String {
    case iOS, Android
  }

  let section: String
  let platform: Platform
  let text: String

  var description: String { "\(section): \(platform) \(text)" }

  /// Parses a list of object headings, each followed by lines of platform and name.
  static func list(_ text: String) -> [NativeName] {
    NameList.sections(text).flatMap { section, lines in
      lines.compactMap { line in
        guard let space = line.firstIndex(of: " "), let platform = Platform(rawValue: String(line[..<space]))
        else { return nil }
        let name = String(line[line.index(after: space)...])
        return NativeName(section: section, platform: platform, text: name)
      }
    }
  }
}

extension CoverageTable.Row {
  /// The native SDK names in this row, each with its platform.
  var names: [NativeName] {
    [NativeName.Platform.iOS, .Android].flatMap { platform in
      (cells[platform.rawValue] ?? "").codeSpans.map {
        NativeName(section: section, platform: platform, text: $0)
      }
    }
  }
}
