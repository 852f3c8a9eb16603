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
    // If the text was changed or shortened, or has links, the client also gets the field as received.
    let isPlain = field.json["richContent"] == nil && field.json["content"]?.string == text
    if !isPlain { collector.raw = field.raw }
    return .shown(field, collector)
  }

  /// AGREEMENT and READ_ONLY_TEXT: a longer text to read, with a heading.
  static func agreement(_ field: DaVinciField) -> FieldForm {
    var collector = Collector(key: field.key, type: "ReadOnlyTextCollector")
    let hasTitle = field.json["titleEnabled"] != false
    collector.label = (hasTitle ? field.text("title") : nil) ?? field.label
    // Not shortened: users must see the whole text that they agree to.
    collector.value = field.json["content"]?.string.map { .string(DisplayText.lines($0)) }
    collector.raw = field.raw
    return .shown(field, collector)
  }

  /// ERROR_DISPLAY: the place where a browser shows errors; here, fields and pages have error messages.
  static func errorDisplay(_ field: DaVinciField) -> FieldForm { .shown(field, nil) }

  /// QR_CODE: a picture to scan, with a text to type as an alternative.
  static func qrCode(_ field: DaVinciField) -> FieldForm {
    picture(field, "QrCodeCollector", field.label, address: "fallbackText")
  }

  /// IMAGE: a picture, shown as its description and its URL.
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

  /// PROTECT: risk signals about the browser and its use.
  ///
  /// mfad does not collect any.
  static func protect(_ field: DaVinciField) -> FieldForm {
    var collector = Collector(
      key: field.key,
      type: "ProtectCollector",
      label: "Risk signals: not collected"
    )
    collector.raw = field.raw
    return .shown(field, collector)
  }

  /// Creates a field that needs a key but has none: it is only shown, as received.
  static func keyless(_ field: DaVinciField) -> FieldForm {
    var collector = Collector(key: field.key, type: "UnknownCollector", label: field.label)
    // A pairing key is a secret, so a field with one is not shown as received.
    collector.raw = field.json["pairingKey"] == nil ? field.raw : nil
    return .shown(field, collector)
  }
}
