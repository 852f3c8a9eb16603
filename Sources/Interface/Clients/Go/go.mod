module mfad

go 1.19
