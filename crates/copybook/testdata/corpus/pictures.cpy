       01  PICTURES.
           05  P01                       PIC X.
           05  P02                       PIC XX.
           05  P03                       PIC X(12).
           05  P04                       PIC A(5).
           05  P05                       PIC AAXX99.
           05  P06                       PIC 9.
           05  P07                       PIC 999V99.
           05  P08                       PIC S9(5)V9(2).
           05  P09                       PIC V9(4).
           05  P10                       PIC PPP9(3).
           05  P11                       PIC S9(3)PPP.
           05  P12                       PIC SVPP99.
           05  P13                       PIC 9(3)V.
           05  P14                       PIC x(3).
           05  P15                       PICTURE IS 9(7).
           05  P16                       PICTURE S9(31).
           05  P17                       PIC S9(31) COMP-3.
           05  P18                       PIC 9(38).
           05  P19                       PIC 9(5)PP COMP-3.
           05  P20                       PIC SPP9(3) COMP.
           05  P21                       PIC P(4)9(3) COMP-5.
