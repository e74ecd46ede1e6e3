import Foundation

/// What modules ask about dates as texts, lists, time zones and locales (`format.date`).
enum DateAnswers {
    static func answer(
        _ reader: inout MessagePackReader, _ writer: inout MessagePackWriter
    ) throws {
        let count = try reader.arrayHeader()
        switch (try reader.integer(Int.self), count) {
        case (0, 3):
            let formatter = try formatter(try reader.settings())
            writer.string(formatter.string(from: try reader.date()))
        case (1, 3):
            let formatter = try formatter(try reader.settings())
            let date = formatter.date(from: try reader.string())
            writer.optional(date) { $0.double($1.timeIntervalSinceReferenceDate) }
        case (2, 3):
            let formatter = try formatter(try reader.settings())
            let text: String? =
                switch try reader.integer(Int.self) {
                case 0: formatter.dateFormat
                case 8: formatter.amSymbol
                case 9: formatter.pmSymbol
                default: throw FoundationAnswers.unknown("property")
                }
            writer.optional(text) { $0.string($1) }
        case (3, 4):
            let date = try reader.date()
            writer.string(
                DateFormatter.localizedString(
                    from: date, dateStyle: try style(&reader), timeStyle: try style(&reader)))
        case (4, 4):
            let formatter = try standard(&reader)
            writer.string(formatter.string(from: try reader.date()))
        case (5, 4):
            let formatter = try standard(&reader)
            let date = formatter.date(from: try reader.string())
            writer.optional(date) { $0.double($1.timeIntervalSinceReferenceDate) }
        case (6, 3): writer.string(try DateStyles.text(&reader))
        case (7, 4): writer.string(try relative(&reader))
        case (8, 5): writer.string(try list(&reader))
        case (9, 2): writer.string(try reader.locale().identifier)
        case (10, 2):
            writer.optional(TimeZone(named: try reader.string())?.identifier) { $0.string($1) }
        case (11, 2):
            let seconds = try reader.integer(Int.self)
            guard (-100_000...100_000).contains(seconds) else {
                throw FoundationAnswers.unknown("time zone")
            }
            writer.optional(TimeZone(secondsFromGMT: seconds)?.identifier) { $0.string($1) }
        case (12, 3):
            let zone = try reader.timeZone()
            writer.int(Int64(zone.secondsFromGMT(for: try reader.date())))
        case (13, 2): writer.string(try reader.date().formatted(.iso8601))
        default: throw FoundationAnswers.unknown("question about dates")
        }
    }

    private static func style(
        _ reader: inout MessagePackReader
    ) throws -> DateFormatter.Style {
        guard let style = DateFormatter.Style(rawValue: try reader.integer()) else {
            throw FoundationAnswers.unknown("style")
        }
        return style
    }

    private static func formatter(
        _ settings: [(key: Int, value: Setting)]
    ) throws -> DateFormatter {
        let formatter = DateFormatter()
        for (key, value) in settings {
            switch (key, value) {
            case (0, .text(let text)): formatter.dateFormat = text
            case (1, .number(let number)): formatter.dateStyle = try style(number)
            case (2, .number(let number)): formatter.timeStyle = try style(number)
            case (3, .text(let name)): formatter.locale = Locale(named: name)
            case (4, .text(let name)): formatter.timeZone = TimeZone(named: name)
            case (5, .text(let text)): formatter.setLocalizedDateFormatFromTemplate(text)
            case (6, .flag(let flag)): formatter.isLenient = flag
            case (7, .flag(let flag)): formatter.doesRelativeDateFormatting = flag
            case (8, .text(let text)): formatter.amSymbol = text
            case (9, .text(let text)): formatter.pmSymbol = text
            default: throw FoundationAnswers.unknown("property \(key)")
            }
        }
        return formatter
    }

    private static func style(_ number: Int) throws -> DateFormatter.Style {
        guard let raw = UInt(exactly: number), let style = DateFormatter.Style(rawValue: raw)
        else { throw FoundationAnswers.unknown("style") }
        return style
    }

    /// Reads the options and the time zone of an `ISO8601DateFormatter`.
    private static func standard(
        _ reader: inout MessagePackReader
    ) throws -> ISO8601DateFormatter {
        let options = ISO8601DateFormatter.Options(rawValue: try reader.integer())
        let known: ISO8601DateFormatter.Options = [
            .withInternetDateTime, .withFullDate, .withFullTime, .withFractionalSeconds,
            .withWeekOfYear, .withSpaceBetweenDateAndTime,
        ]
        // Foundation ends the process for others.
        guard known.isSuperset(of: options) else { throw FoundationAnswers.unknown("options") }
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = options
        formatter.timeZone = try reader.timeZone()
        return formatter
    }

    private static func relative(_ reader: inout MessagePackReader) throws -> String {
        let date = try reader.date()
        let presentation = try reader.integer(Int.self)
        let units = try reader.integer(Int.self)
        let all: [Date.RelativeFormatStyle.UnitsStyle] = [
            .wide, .spellOut, .abbreviated, .narrow,
        ]
        guard (0...1).contains(presentation), all.indices.contains(units) else {
            throw FoundationAnswers.unknown("style")
        }
        return date.formatted(
            .relative(
                presentation: presentation == 0 ? .numeric : .named, unitsStyle: all[units]))
    }

    private static func list(_ reader: inout MessagePackReader) throws -> String {
        typealias Style = ListFormatStyle<StringStyle, [String]>
        let items = try reader.array { try $0.string() }
        let type = try reader.integer(Int.self)
        let width = try reader.integer(Int.self)
        let name = try reader.string()
        let widths: [Style.Width] = [.standard, .short, .narrow]
        guard (0...1).contains(type), widths.indices.contains(width) else {
            throw FoundationAnswers.unknown("style")
        }
        var style = Style.list(type: type == 0 ? .and : .or, width: widths[width])
        style.locale = Locale(named: name)
        return style.format(items)
    }
}

/// `formatted(_:)` of dates: what the style was told, and the date.
enum DateStyles {
    static func text(_ reader: inout MessagePackReader) throws -> String {
        let settings = try reader.settings()
        var style = Date.FormatStyle()
        if let (key, value) = settings.first, key == 0, case .text(let text) = value {
            // `d 2 3`: the styles of date and time, or `-` for none.
            let words = text.split(separator: " ").dropFirst().map { Int($0) ?? -1 }
            guard text.hasPrefix("d "), words.count == 2,
                words.allSatisfy({ (-1...4).contains($0) })
            else {
                throw FoundationAnswers.unknown("style")
            }
            let dates: [Date.FormatStyle.DateStyle] = [
                .omitted, .numeric, .abbreviated, .long, .complete,
            ]
            let times: [Date.FormatStyle.TimeStyle] = [.omitted, .shortened, .standard, .complete]
            guard words[1] < times.count else { throw FoundationAnswers.unknown("style") }
            style = Date.FormatStyle(
                date: words[0] < 0 ? nil : dates[words[0]],
                time: words[1] < 0 ? nil : times[words[1]])
        }
        for (key, value) in settings.dropFirst(settings.first?.key == 0 ? 1 : 0) {
            switch (key, value) {
            case (1, .text(let name)): style.locale = Locale(named: name)
            case (2, .text(let name)):
                guard let zone = TimeZone(named: name) else {
                    throw FoundationAnswers.unknown("time zone")
                }
                style.timeZone = zone
            case (3, .text(let text)): style = try with(text, style)
            default: throw FoundationAnswers.unknown("part of a style")
            }
        }
        return style.format(try reader.date())
    }

    /// Adds a field, as in `month.wide`.
    private static func with(
        _ field: String, _ style: Date.FormatStyle
    ) throws -> Date.FormatStyle {
        switch field {
        case "era": style.era()
        case "year": style.year()
        case "year.defaultDigits": style.year(.defaultDigits)
        case "year.twoDigits": style.year(.twoDigits)
        case "quarter": style.quarter()
        case "month": style.month()
        case "month.defaultDigits": style.month(.defaultDigits)
        case "month.twoDigits": style.month(.twoDigits)
        case "month.abbreviated": style.month(.abbreviated)
        case "month.wide": style.month(.wide)
        case "month.narrow": style.month(.narrow)
        case "week": style.week()
        case "day": style.day()
        case "day.defaultDigits": style.day(.defaultDigits)
        case "day.twoDigits": style.day(.twoDigits)
        case "dayOfYear": style.dayOfYear()
        case "weekday": style.weekday()
        case "weekday.abbreviated": style.weekday(.abbreviated)
        case "weekday.wide": style.weekday(.wide)
        case "weekday.narrow": style.weekday(.narrow)
        case "hour": style.hour()
        case "hour.defaultDigits": style.hour(.defaultDigits(amPM: .abbreviated))
        case "hour.twoDigits": style.hour(.twoDigits(amPM: .abbreviated))
        case "minute": style.minute()
        case "minute.defaultDigits": style.minute(.defaultDigits)
        case "minute.twoDigits": style.minute(.twoDigits)
        case "second": style.second()
        case "second.defaultDigits": style.second(.defaultDigits)
        case "second.twoDigits": style.second(.twoDigits)
        default: throw FoundationAnswers.unknown("field '\(field)'")
        }
    }
}
