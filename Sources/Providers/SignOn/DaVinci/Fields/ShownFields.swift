internal import ControlAPI
internal import JSON
internal import Text

// Fields that are only shown.

extension FieldForm {
  /// LABEL: a text to read.
  static func label(_ field: DaVinciField) -> FieldForm {
    var collector = Collector(key: field.key, type: "LabelCollector", label: field.label)
    let text = field.richText ?? field.text("content", maximum: DisplayText.bodyLength)
    collector.value = text.map { .string($0) }
    // What was cut or linked is whole there.
    let isPlain = field.json["richContent"] == nil && field.json["content"]?.string == text
    if !isPlain { collector.raw = field.raw }
    return .shown(field, collector)
  }

  /// AGREEMENT and READ_ONLY_TEXT: a longer text to read, with a heading.
  static func agreement(_ field: DaVinciField) -> FieldForm {
    var collector = Collector(key: field.key, type: "ReadOnlyTextCollector")
    let hasTitle = field.json["titleEnabled"] != false
    collector.label = (hasTitle ? field.text("title") : nil) ?? field.label
    // Nobody agrees to half a text.
    collector.value = field.json["content"]?.string.map { .string(DisplayText.lines($0)) }
    collector.raw = field.raw
    return .shown(field, collector)
  }

  /// ERROR_DISPLAY: the place where a browser shows what went wrong; here that stands beside the fields.
  static func errorDisplay(_ field: DaVinciField) -> FieldForm { .shown(field, nil) }

  /// QR_CODE: a picture to scan, and what to type instead.
  static func qrCode(_ field: DaVinciField) -> FieldForm {
    picture(field, "QrCodeCollector", field.label, address: "fallbackText")
  }

  /// IMAGE: a picture, told by its description.
  static func image(_ field: DaVinciField) -> FieldForm {
    picture(field, "ImageCollector", field.text("description"), address: "imageUrl")
  }

  private static func picture(
    _ field: DaVinciField,
    _ type: String,
    _ label: String?,
    address: String
  ) -> FieldForm {
    var collector = Collector(key: field.key, type: type, label: label)
    collector.value = field.text(address, maximum: DisplayText.bodyLength).map { .string($0) }
    collector.raw = field.raw
    return .shown(field, collector)
  }

  /// PROTECT: what a browser would tell of itself and of how it is used, of which nothing is collected here.
  static func protect(_ field: DaVinciField) -> FieldForm {
    var collector = Collector(
      key: field.key,
      type: "ProtectCollector",
      label: "Risk signals: not collected"
    )
    collector.raw = field.raw
    return .shown(field, collector)
  }

  /// A field that wants input but has no key to give it by: shown as it came.
  static func keyless(_ field: DaVinciField) -> FieldForm {
    var collector = Collector(key: field.key, type: "UnknownCollector", label: field.label)
    // A pairing key is a secret, also where nobody can choose to pair.
    collector.raw = field.json["pairingKey"] == nil ? field.raw : nil
    return .shown(field, collector)
  }
}
