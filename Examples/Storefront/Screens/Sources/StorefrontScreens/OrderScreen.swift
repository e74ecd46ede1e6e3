import SwiftUI

/// The form of an order: what is missing is said, and it is sent only when nothing is.
struct OrderScreen: View {
    @State private var form = OrderForm()
    @State private var isSent = false
    @State private var tries = 0

    var body: some View {
        Form {
            Section("To whom") {
                TextField("Name", text: $form.name)
                TextField("Street", text: $form.street)
                TextField("City", text: $form.city)
                Picker("Country", selection: $form.country) {
                    ForEach(Country.allCases, id: \.self) { Text($0.title).tag($0) }
                }
            }
            Section {
                Toggle("Leave at the door", isOn: $form.isLeft)
                Stepper("Parcels: \(form.parcels)", value: $form.parcels, in: 1...4)
            } footer: {
                Text(form.country.days)
            }
            ForEach(form.problems, id: \.self) { problem in
                Label(problem, systemImage: "exclamationmark.triangle")
                    .foregroundColor(.orange)
            }
            Button("Send the order") { send() }
                .disabled(!form.problems.isEmpty)
        }
        .navigationTitle("Order")
        .alert("Thank you, \(form.name)!", isPresented: $isSent) {
            Button("Good") { form = OrderForm() }
        } message: {
            Text("Order number \(tries)")
        }
    }

    private func send() {
        tries += 1
        isSent = form.problems.isEmpty
    }
}

enum Country: String, CaseIterable {
    case germany, japan

    var title: String { self == .germany ? "Germany" : "Japan" }
    var days: String { self == .germany ? "Two days" : "Nine days" }
}

/// What somebody writes into the form.
struct OrderForm: Hashable {
    var name = ""
    var street = ""
    var city = ""
    var country = Country.germany
    var isLeft = false
    var parcels = 1

    var problems: [String] {
        var problems: [String] = []
        if name.isEmpty { problems.append("A name is missing") }
        if street.isEmpty { problems.append("A street is missing") }
        if city.count < 2 { problems.append("A city is missing") }
        return problems
    }
}
