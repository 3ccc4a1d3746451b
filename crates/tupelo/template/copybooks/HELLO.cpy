       01  HELLO-AREA.
           05  HELLO-NAME               PIC X(20).
           05  HELLO-GREETING           PIC X(40).
           05  HELLO-TASK               PIC 9(7).
