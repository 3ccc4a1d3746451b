       01  EDITED-ITEMS.
           05  E01                       PIC ZZZ,ZZ9.99.
           05  E02                       PIC Z(5).
           05  E03                       PIC ***,**9.99.
           05  E04                       PIC $$,$$$,$$9.99.
           05  E05                       PIC $ZZ9.99CR.
           05  E06                       PIC $999.99DB.
           05  E07                       PIC -(6)9.99.
           05  E08                       PIC +(4).
           05  E09                       PIC +9(5).
           05  E10                       PIC 9(5)-.
           05  E11                       PIC ZZ9+.
           05  E12                       PIC 99/99/9999.
           05  E13                       PIC 9(3)B9(3).
           05  E14                       PIC 9(2)0(3).
           05  E15                       PIC X(3)BX(3)/X(2)0.
           05  E16                       PIC A(3)BA(3).
           05  E17                       PIC ZZ9.99BCR.
           05  E18                       PIC .99.
           05  E19                       PIC Z.ZZ.
           05  E20                       PIC --,---.--.
           05  E21                       PIC +$(5)9.99.
           05  E22                       PIC $(4).99.
           05  E23                       PIC Z(3)V99.
           05  E24                       PIC 9(5) BLANK WHEN ZERO.
           05  E25                       PIC ZZ9 BLANK ZERO.
           05  E26                       PIC 9(3)V99 BLANK WHEN ZEROES.
           05  E27                       PIC Z(3)P(2).
           05  E28                       PIC ZZ,ZZ9,.
