import SwiftUI

#if !HOSTUI
    #Preview("Counter") {
        CounterScreen(title: "Counter")
    }
#endif
