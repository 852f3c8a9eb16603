internal import ControlAPI
internal import JSON
internal import Text

/// QR_CODE: a picture to scan, and what to type instead.
struct QRCodeField: FormField {
  let description: FieldDescription

  static let needsKey = false

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? {
    var collector = Collector(key: description.key, type: "QrCodeCollector", label: description.label)
    collector.value = description.text("fallbackText", maximum: DisplayText.bodyLength).map { .string($0) }
    collector.raw = description.raw
    return collector
  }
}

/// IMAGE: a picture, told by its description.
struct ImageField: FormField {
  let description: FieldDescription

  static let needsKey = false

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? {
    var collector = Collector(
      key: description.key,
      type: "ImageCollector",
      label: description.text("description")
    )
    collector.value = description.text("imageUrl", maximum: DisplayText.bodyLength).map { .string($0) }
    collector.raw = description.raw
    return collector
  }
}
